//! The elements of a page, as it reports them to screen readers.

use franz_screen::{Desktop, Screen};

use crate::stage::{HEIGHT, Stage, WIDTH, outcome, perform, says, until};

/// Returns the elements as strings: the role, the name, the pixel in the middle and the state.
fn told(screen: &mut Desktop) -> Vec<String> {
    let elements = until("all elements are told", || {
        let elements = screen.elements().unwrap().unwrap();
        elements.is_complete.then_some(elements)
    });
    let told = elements.list.iter().map(|element| {
        let (first, last) = element.place;
        let middle = |first: u32, last: u32| u32::midpoint(first, last);
        let x = middle(first.x.to_pixel(WIDTH), last.x.to_pixel(WIDTH));
        let y = middle(first.y.to_pixel(HEIGHT), last.y.to_pixel(HEIGHT));
        let state = [(element.is_checked, " on"), (!element.is_enabled, " off")];
        let state: String = state.into_iter().filter_map(|(is, word)| is.then_some(word)).collect();
        format!("{} '{}' at {x},{y}{state}", element.role, element.name)
    });
    told.collect()
}

#[test]
fn a_page_tells_of_what_can_be_seen_and_clicked() {
    let page = "<style>body * { position: absolute; margin: 0; box-sizing: border-box } \
        .b { width: 100px; height: 20px }</style>\
        <button class=b style='left:0;top:0' onclick='say(\"saved\")'><b style='position:static'>Save</b> it</button>\
        <input class=b type=checkbox checked aria-label=Agree style='left:200px;top:0'>\
        <input class=b placeholder=Name disabled style='left:400px;top:0'>\
        <div class=b role=button tabindex=0 aria-label=Aria style='left:0;top:100px'></div>\
        <iframe src=frame.html style='left:300px;top:200px;width:200px;height:100px;border:0'></iframe>\
        <div id=host style='left:0;top:300px'></div>\
        <button class=b style='left:20px;top:400px'>Covered</button>\
        <div style='left:0;top:380px;width:300px;height:100px;background:#ccc'></div>\
        <button class=b style='left:20px;top:2400px'>Below</button>\
        <script>host.attachShadow({mode: 'open'}).innerHTML = '<button style=\"width:100px;height:20px;margin:0\">Shadow</button>'</script>";
    let stage = Stage::new(page);
    stage.add(
        "frame.html",
        "<button style='position:absolute;left:10px;top:10px;width:100px;height:20px'>Inner</button>",
    );
    let mut screen = stage.screen();
    perform(&mut screen, "press(\"f5\")");
    screen.tell_elements(stage.browser.elements());
    until("the frame is there", || {
        told(&mut screen)
            .iter()
            .any(|line| line.contains("Inner"))
            .then_some(())
    });
    assert_eq!(
        told(&mut screen),
        [
            "button 'Save it' at 49,9",
            "check box 'Agree' at 249,9 on",
            "text field 'Name' at 449,9 off",
            "button 'Aria' at 49,109",
            "button 'Inner' at 359,219",
            "button 'Shadow' at 49,309",
        ]
    );
    let first = screen.elements().unwrap().unwrap().list.remove(0).place;
    let (x, y) = (
        first.0.x.get().midpoint(first.1.x.get()),
        first.0.y.get().midpoint(first.1.y.get()),
    );
    outcome(&mut screen, &format!("left_click({x:.0}, {y:.0})"));
    says(&mut screen, "saved");
}

#[test]
fn a_dialog_tells_of_its_buttons() {
    let stage =
        Stage::new("<button style='width:200px;height:200px' onclick='say(prompt(\"Who?\", \"me\"))'>Ask</button>");
    let mut screen = stage.screen();
    screen.tell_elements(stage.browser.elements());
    perform(&mut screen, "left_click(50, 50)");
    let lines = until("the dialog is told", || {
        let lines = told(&mut screen);
        lines.iter().any(|line| line.contains("Cancel")).then_some(lines)
    });
    let names: Vec<_> = lines.iter().filter_map(|line| line.split(" at").next()).collect();
    assert_eq!(names, ["text field 'me'", "button 'Cancel'", "button 'OK'"]);
}
