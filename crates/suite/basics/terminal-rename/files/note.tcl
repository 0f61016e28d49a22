# A note that says which files to rename.

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

option add *font {{DejaVu Sans} -22}

set nouns {bridge castle ferry garden harbour island market museum railway station tower valley}
set chosen [shuffle noun 12]
set lines {"Please rename in the folder letters:"}
for {set i 0} {$i < 3} {incr i} {
    set old [lindex $nouns [lindex $chosen $i]].txt
    set new [lindex $nouns [lindex $chosen [expr {$i + 6}]]]-[expr {1950 + [pick year-$i 70]}].txt
    lappend lines "$old   to   $new"
}
wm title . "Note"
put . 600 260 {*}[expr {[pick sides 2] ? {0.54 1} : {0 0.46}}]
. configure -background lightyellow
label .text -text [join $lines \n\n] -justify left -background lightyellow
place .text -x 25 -y 25
