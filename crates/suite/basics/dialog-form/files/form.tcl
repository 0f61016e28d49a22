# A form to fill in, and a card that says with what. The button Send writes form.txt.

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

set people {{Ada Berger} {Noel Winter} {Ruth Keller} {Omar Haddad} {Lena Novak} {Ivo Petrov} {Mia Larsen} {Hugo Costa}}
set towns {Salzburg Lyon Porto Turin Ghent Malmo Krakow Bergen}
set sizes {small medium large}
set card(Name) [lindex $people [pick name 8]]
set card(Town) [lindex $towns [pick town 8]]
set card(Phone) [format "0%d %d" [expr {100 + [pick area 900]}] [expr {10000 + [pick phone 50000]}]]
set card(Size) [lindex $sizes [pick size 3]]
set card(Gift) [lindex {no yes} [pick gift 2]]
set names [lmap i [shuffle order 3] {lindex {Name Town Phone} $i}]

set sides [expr {[pick sides 2] ? {0 0.5 0.5 1} : {0.5 1 0 0.5}}]
wm title . "Order form"
put . 640 460 {*}[lrange $sides 0 1]
set y 25
foreach name $names {
    label .label$name -text $name
    entry .entry$name -textvariable form($name)
    place .label$name -x 25 -y [expr {$y + 5}]
    place .entry$name -x 150 -y $y -width 460 -height 44
    incr y 65
}
# The choices are buttons with large marks, because Tk's own marks are very small.
label .size -text "Size"
place .size -x 25 -y 232
set x 150
foreach size $sizes {
    button .$size -relief flat -anchor w -command [list choose Size $size]
    place .$size -x $x -y 222 -width 150 -height 44
    incr x 155
}
button .gift -relief flat -anchor w -command {choose Gift [expr {$form(Gift) eq "yes" ? "no" : "yes"}]}
place .gift -x 150 -y 285 -width 320 -height 44

# Notes a choice and shows it.
proc choose {name value} {
    set ::form($name) $value
    foreach size $::sizes {
        .$size configure -text "[expr {$::form(Size) eq $size ? "◉" : "○"}] $size"
    }
    .gift configure -text "[expr {$::form(Gift) eq "yes" ? "☑" : "☐"}] Wrap it as a gift"
}
set form(Size) none
choose Gift no
button .send -text "Send" -command {
    save form.txt [join [lmap name {Name Town Phone Size Gift} {string cat $name ": " $form($name)}] \n]
    .sent configure -text "The form was sent."
}
place .send -x 150 -y 360 -width 180 -height 60
label .sent
place .sent -x 350 -y 375

toplevel .card -background lightyellow
wm title .card "Card"
put .card 420 300 {*}[lrange $sides 2 3]
set lines [lmap name {Name Town Phone Size} {string cat $name ": " $card($name)}]
lappend lines [expr {$card(Gift) eq "yes" ? "Please wrap it as a gift." : "No gift wrapping."}]
label .card.text -text [join $lines \n\n] -justify left -background lightyellow
place .card.text -x 25 -y 20
