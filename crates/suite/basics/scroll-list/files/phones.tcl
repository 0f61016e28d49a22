# A long list of people with their phone numbers, and a field for one of the numbers. Save writes number.txt.

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

set first {Anna Bela Carl Dora Emil Frida Georg Hanna Igor Jana}
set last {Adler Brandt Conti Duval Ek Falk Gomez Hansen Ivanov Jensen Kovac Lopez}

# The numbers differ from each other: each is 1000 + 73 * its rank + something below 73.
set lines {}
foreach i [shuffle person 120] {
    set number [expr {1000 + 73 * [llength $lines] + [pick number-$i 73]}]
    lappend lines "[lindex $first [expr {$i % 10}]] [lindex $last [expr {$i / 10}]]   $number"
}

wm title . "Phone list"
put . 560 560
listbox .list -yscrollcommand {.bar set} -activestyle none
scrollbar .bar -command {.list yview} -width 24
.list insert end {*}$lines
place .list -x 20 -y 20 -width 490 -height 400
place .bar -x 512 -y 20 -width 28 -height 400
label .what -text "Number:"
entry .number
button .save -text "Save" -command {
    save number.txt [string trim [.number get]]
    .saved configure -text "Saved."
}
label .saved
place .what -x 20 -y 446
place .number -x 130 -y 440 -width 180 -height 44
place .save -x 330 -y 436 -width 180 -height 52
place .saved -x 130 -y 505
