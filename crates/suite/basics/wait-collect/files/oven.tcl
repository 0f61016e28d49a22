# An oven that needs some seconds. When the bread is done, a button appears somewhere in the window. oven.txt gets a
# line for every button that was pressed.

# Returns a number from 0 to n-1 that depends only on the seed and the word.
proc pick {word n} {
    expr {[zlib crc32 "$::env(SUITE_SEED)/$word"] % 65521 % $n}
}

# Gives a window its size and a place on the screen that depends on the seed. `from` and `to` limit the place to a
# part of the screen: 0 is its left edge, 1 is its right edge.
proc put {window width height {from 0} {to 1}} {
    set screen [winfo screenwidth .]
    set left [expr {int($screen * $from) + 15}]
    set room_x [expr {max(1, int($screen * $to) - 15 - $width - $left)}]
    set room_y [expr {max(1, [winfo screenheight .] - $height - 70)}]
    wm geometry $window ${width}x$height+[expr {$left + [pick $window-x $room_x]}]+[expr {15 + [pick $window-y $room_y]}]
    wm resizable $window 0 0
}

# Writes a file in one step, so that it is never half written.
proc save {file text} {
    set out [open $file.new w]
    fconfigure $out -encoding utf-8
    puts $out $text
    close $out
    file rename -force $file.new $file
}

option add *font {{DejaVu Sans} -22}
# The keyboard reaches no button: finding them is the task.
option add *Button.takeFocus 0

set seconds [expr {5 + [pick seconds 6]}]
set field [pick field 6]
set events {}
proc note {event} {
    lappend ::events $event
    save oven.txt [join $::events \n]
}

wm title . "Oven"
put . 640 420
label .status -text "The oven is off."
place .status -x 30 -y 25
button .start -text "Start" -command {
    note start
    .start configure -state disabled
    place .stop -x 430 -y 90 -width 180 -height 56
    .status configure -text "The bread is in the oven. Please wait."
    after [expr {$seconds * 1000}] done
}
place .start -x 30 -y 90 -width 180 -height 56
button .stop -text "Stop" -command {
    note stop
    place forget .stop
    after cancel done
    .status configure -text "The oven was stopped. The bread is not done."
}

# Shows that the bread is done, with the button to take it out.
proc done {} {
    note done
    place forget .stop
    .status configure -text "The bread is done."
    place .take -x [expr {30 + $::field % 3 * 200}] -y [expr {190 + $::field / 3 * 110}] -width 180 -height 56
}
button .take -text "Take out" -command {
    note take
    place forget .take
    .status configure -text "Enjoy your bread!"
}
