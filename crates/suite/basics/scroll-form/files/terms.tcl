# Long terms of use. One of the rules names a keyword; the field for it and the button are at the end of the text.

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

set trees {maple cedar birch hazel aspen linden walnut willow}
set rule [expr {8 + [pick rule 20]}]
set keyword [lindex $trees [pick tree 8]]-[expr {100 + [pick code 900]}]
set topics {"the lending of books" "late returns" "lost cards" "the reading room" "visitors and guests" "noise and music"
    "food and drink" "opening hours" "lockers and coats" "copies and prints"}

wm title . "Terms of use"
put . 680 560
text .text -wrap word -yscrollcommand {.bar set} -padx 15 -pady 10 -cursor arrow
scrollbar .bar -command {.text yview} -width 24
place .text -x 0 -y 0 -width 650 -height 560
place .bar -x 652 -y 0 -width 28 -height 560
for {set i 1} {$i <= 40} {incr i} {
    .text insert end "Rule $i. This rule is about [lindex $topics [expr {($i + [pick topic 10]) % 10}]]. "
    if {$i == $rule} {
        .text insert end "The keyword is $keyword. "
    }
    .text insert end "Members agree to follow it at all times.\n\n"
}
.text insert end "Keyword: "
entry .text.keyword -width 16
.text window create end -window .text.keyword
.text insert end "\n\n"
button .text.agree -text "I agree" -padx 30 -pady 8 -command {
    save agreed.txt [string trim [.text.keyword get]]
    .text.done configure -text "Thank you."
}
.text window create end -window .text.agree
label .text.done -background white
.text insert end "   "
.text window create end -window .text.done
.text insert end "\n"
.text configure -state disabled
