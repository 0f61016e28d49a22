# A window that asks for a code, and a phone that shows the code some seconds after it was requested. code.txt gets a
# line for every code that was confirmed.

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

set seconds [expr {4 + [pick seconds 5]}]
set code [expr {100000 + [pick high 900] * 1000 + [pick low 1000]}]
set requested 0
set given {}

set sides [expr {[pick sides 2] ? {0 0.55 0.6 1} : {0.45 1 0 0.4}}]
wm title . "Log in"
put . 600 340 {*}[lrange $sides 0 1]
button .send -text "Send me a code" -command {
    if {!$requested} {
        set requested 1
        .status configure -text "The code is on its way to your phone."
        after [expr {$seconds * 1000}] {
            .phone.text configure -text "Phone\n\nYour code is\n\n$code"
            .status configure -text "The code was sent."
        }
    }
}
label .status -text "You need a code to log in."
label .what -text "Code:"
entry .code
button .confirm -text "Confirm" -command {
    lappend given [string trim [.code get]]
    save code.txt [join $given \n]
    .result configure -text [expr {$requested && [string trim [.code get]] eq $code ? "You are logged in." : "This code is wrong."}]
}
label .result
place .send -x 25 -y 25 -width 260 -height 56
place .status -x 25 -y 95
place .what -x 25 -y 168
place .code -x 120 -y 160 -width 220 -height 48
place .confirm -x 25 -y 245 -width 180 -height 56
place .result -x 225 -y 258

toplevel .phone -background white
wm title .phone "Phone"
put .phone 300 400 {*}[lrange $sides 2 3]
label .phone.text -text "Phone\n\nNo messages" -background white -justify center
place .phone.text -relx 0.5 -y 120 -anchor n
