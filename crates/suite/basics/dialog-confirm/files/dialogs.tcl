# Two windows that each ask a question. answers.txt gets a line for every answer.

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

set things [list "the holiday pictures" "the tax letters" "the song list" "the old recipes" "the garden plans"]
lassign [shuffle thing 5] kept deleted
set answers {}

# Opens a window with a question and the buttons Yes and No, in an order that depends on the seed.
proc ask {window verb thing from to} {
    wm title $window "Question"
    put $window 560 220 $from $to
    set frame [expr {$window eq "." ? "" : $window}]
    label $frame.question -text "Do you want to $verb\n$thing?" -justify left
    place $frame.question -x 30 -y 25
    set places [expr {[pick buttons-$verb 2] ? {60 320} : {320 60}}]
    foreach answer {Yes No} x $places {
        button $frame.[string tolower $answer] -text $answer -command [list answer $window $verb $answer]
        place $frame.[string tolower $answer] -x $x -y 130 -width 180 -height 60
    }
}

# Notes an answer and closes its window.
proc answer {window verb answer} {
    lappend ::answers "$verb $answer"
    save answers.txt [join $::answers \n]
    wm withdraw $window
}

toplevel .other
set sides [expr {[pick sides 2] ? {0 0.5 0.5 1} : {0.5 1 0 0.5}}]
ask . keep [lindex $things $kept] {*}[lrange $sides 0 1]
ask .other delete [lindex $things $deleted] {*}[lrange $sides 2 3]
