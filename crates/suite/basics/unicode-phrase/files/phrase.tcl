# A phrase with accented letters, and a field to type it into. Save writes phrase.txt.

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

# Writes a file in one step, so that it is never half written.
proc save {file text} {
    set out [open $file.new w]
    fconfigure $out -encoding utf-8
    puts $out $text
    close $out
    file rename -force $file.new $file
}

option add *font {{DejaVu Sans} -22}

set starts {"Grüße aus Köln" "Ça va très bien" "Señor Muñoz" "Žluťoučký kůň" "Łódź i Kraków" "Smørrebrød på Fanø"}
set ends {"über Nürnberg" "à la crème brûlée" "mañana en Cádiz" "příští týden" "żółta gęś" "från Västerås"}
set phrase "[lindex $starts [pick start 6]], [lindex $ends [pick end 6]], [expr {10 + [pick price 90]}] €"

wm title . "Phrase"
put . 680 300
label .phrase -text $phrase -background white -relief solid -borderwidth 2 -anchor w -padx 12
label .what -text "Type the phrase here:"
entry .typed
button .save -text "Save" -command {
    save phrase.txt [.typed get]
    .saved configure -text "Saved."
}
label .saved
place .phrase -x 25 -y 25 -width 630 -height 56
place .what -x 25 -y 100
place .typed -x 25 -y 140 -width 630 -height 48
place .save -x 25 -y 215 -width 180 -height 56
place .saved -x 225 -y 228
