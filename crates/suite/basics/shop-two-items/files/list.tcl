# A note with two things to buy.

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

set things {
    {Red mug} {Blue mug} {Green mug} {Desk lamp Vega} {Desk lamp Lyra} {Floor lamp Orion} {Floor lamp Cora}
    {Table lamp Mira} {Table lamp Juno} {Wall lamp Nova} {Red notebook} {Blue notebook} {Green notebook}
    {Family tent} {Beach tent} {Storm tent} {Pop-up tent} {Winter tent} {Tent pegs} {Tent bag} {Garden chair}
    {Folding chair} {Camping stove} {Sleeping bag} {Hand torch} {Wool blanket} {Water bottle} Umbrella
}
set first [pick first 28]
set second [expr {($first + 1 + [pick second 27]) % 28}]
wm title . "Note"
put . 400 260 {*}[expr {[pick sides 2] ? {0.71 1} : {0 0.29}}]
. configure -background lightyellow
label .text -text "To buy:\n\n[lindex $things $first]\n\n[lindex $things $second]" -justify left -background lightyellow
place .text -x 20 -y 20
