# Two sliders, and a line that says where they belong. sliders.txt always holds their values.

# Returns a number from 0 to n-1 that depends only on the seed and the word.
proc pick {word n} {
    expr {[zlib crc32 "$::env(SUITE_SEED)/$word"] % 65521 % $n}
}

# Returns the numbers from 0 to n-1 in an order that depends only on the seed and the word.
proc shuffle {word n} {
    set keyed {}
    for {set i 0} {$i < $n} {incr i} {
        lappend keyed [list [pick $word-$i 65521] $i]
    }
    lmap pair [lsort -integer -index 0 $keyed] {lindex $pair 1}
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

wm title . "Light and sound"
put . 720 400
set names {Brightness Volume}
foreach name $names {
    set wanted($name) [expr {15 + [pick wanted-$name 70]}]
    set value($name) [expr {($wanted($name) + 25 + [pick start-$name 50]) % 101}]
}
label .what -text "Set Brightness to $wanted(Brightness) and Volume to $wanted(Volume)."
place .what -x 30 -y 20

# Writes the values of both sliders.
proc note {args} {
    save sliders.txt "Brightness $::value(Brightness)\nVolume $::value(Volume)"
}
set y 90
foreach i [shuffle order 2] {
    set name [lindex $names $i]
    label .name$i -text $name
    place .name$i -x 30 -y $y
    scale .slider$i -from 0 -to 100 -orient horizontal -variable value($name) -command note \
        -sliderlength 40 -width 30 -borderwidth 2 -highlightthickness 2 -length 640
    place .slider$i -x 30 -y [expr {$y + 30}] -width 640
    incr y 150
}
