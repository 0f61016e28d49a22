# A note with the address of the person who gets the chair.

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

set names {{Clara Hofmann} {Jonas Weber} {Emma Laurent} {Pavel Dvorak} {Sofia Rossi} {Lars Nygaard}}
set streets {{Mill Lane} {Station Road} {Park Avenue} {Church Street} {Harbour Way} {Garden Row}}
set towns {Ashford Bexley Colwick Dunmore Elmton Fernley}
set lines [list "The chair is for:" "Name: [lindex $names [pick name 6]]" \
    "Street: [lindex $streets [pick street 6]] [expr {1 + [pick house 190]}]" \
    "Postcode: [expr {10000 + [pick postcode 50000]}]" "Town: [lindex $towns [pick town 6]]"]
wm title . "Note"
put . 400 300 {*}[expr {[pick sides 2] ? {0.71 1} : {0 0.29}}]
. configure -background lightyellow
label .text -text [join $lines \n\n] -justify left -background lightyellow
place .text -x 20 -y 20
