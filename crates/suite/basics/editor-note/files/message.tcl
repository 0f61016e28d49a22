# A message to write down.

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

option add *font {{DejaVu Sans} -22}

set names {Alvarez Bennett Castell Dubois Erikson Fischer Gallo Horvat}
set days {Monday Tuesday Wednesday Thursday Friday Saturday}
set lines [list "[lindex $names [pick name 8]] called at [expr {8 + [pick hour 10]}]:[expr {10 + [pick minute 50]}]." \
    "New date: [lindex $days [pick day 6]], room [expr {100 + [pick room 800]}]" \
    "Reference #[expr {1000 + [pick first 9000]}]/[expr {10 + [pick second 90]}]-B"]
wm title . "Message"
put . 540 220 {*}[expr {[pick sides 2] ? {0.52 1} : {0 0.48}}]
. configure -background lightyellow
label .text -text [join $lines \n] -justify left -background lightyellow -font {{DejaVu Sans Mono} -22}
place .text -x 25 -y 50
