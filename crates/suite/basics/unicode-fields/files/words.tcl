# Four fields for words in four scripts, in an order that depends on the seed. Save writes words.txt.

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

set names {Greek Japanese Polish Russian}
wm title . "Words in four languages"
put . 620 380
set y 25
foreach i [shuffle order 4] {
    set name [lindex $names $i]
    label .label$i -text $name
    entry .entry$i -textvariable word($name)
    place .label$i -x 25 -y [expr {$y + 8}]
    place .entry$i -x 190 -y $y -width 400 -height 48
    incr y 66
}
button .save -text "Save" -command {
    save words.txt [join [lmap name $names {string cat $name ": " [string trim $word($name)]}] \n]
    .saved configure -text "Saved."
}
label .saved
place .save -x 190 -y 300 -width 180 -height 56
place .saved -x 390 -y 313
