# Five coloured discs and a box. Every time a disc is dropped, discs.txt gets the place of each disc.

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

wm title . "Discs and a box"
put . 720 520
canvas .c -background white -highlightthickness 0
pack .c -fill both -expand 1

# The window has 4 columns and 3 rows of fields. The first field in the shuffled order holds the box, the next five
# hold the discs.
set fields [shuffle field 12]
proc middle {field} {
    list [expr {$field % 4 * 180 + 90}] [expr {$field / 4 * 172 + 86}]
}
lassign [middle [lindex $fields 0]] x y
.c create rectangle [expr {$x - 80}] [expr {$y - 76}] [expr {$x + 80}] [expr {$y + 76}] -width 4
.c create text $x [expr {$y + 56}] -text "box"
set colours {red blue green orange purple}
foreach colour $colours field [lrange $fields 1 5] {
    lassign [middle $field] x y
    .c create oval [expr {$x - 32}] [expr {$y - 32}] [expr {$x + 32}] [expr {$y + 32}] -fill $colour -tags [list disc $colour]
}

# Returns the lines of discs.txt.
proc places {} {
    set lines {}
    foreach colour $::colours {
        lassign [.c coords $colour] left top right bottom
        lappend lines [format "%s %.0f %.0f" $colour [expr {($left + $right) / 2}] [expr {($top + $bottom) / 2}]]
    }
    join $lines \n
}

# Moves the disc that the mouse holds by the way that the pointer has moved.
proc follow {x y} {
    .c move held [expr {$x - $::last_x}] [expr {$y - $::last_y}]
    set ::last_x $x
    set ::last_y $y
}
.c bind disc <ButtonPress-1> {
    .c addtag held withtag current
    .c raise held
    set last_x %x
    set last_y %y
}
.c bind disc <B1-Motion> {follow %x %y}
.c bind disc <ButtonRelease-1> {
    follow %x %y
    .c dtag held
    save discs.txt [places]
}
