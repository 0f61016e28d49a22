//! Pictures show the page as it is, to the pixel, at every scale.

use franz_frame::Color;
use franz_screen::{Change, Screen};

use crate::stage::{HEIGHT, Stage, WIDTH, perform, says};

#[test]
fn a_picture_has_the_size_of_the_screen_and_tells_what_changed() {
    let stage = Stage::new(
        "<div id=a style='position:absolute;left:100px;top:70px;width:100px;height:70px;background:#123456'></div>\
         <script>onclick = () => a.style.background = '#fedcba'</script>",
    );
    let mut screen = stage.screen();
    assert_eq!(screen.size(), (WIDTH, HEIGHT));
    let frame = screen.frame();
    for (x, y, color) in [
        (99, 70, Color::rgb(255, 255, 255)),
        (100, 70, Color::rgb(0x12, 0x34, 0x56)),
        (199, 139, Color::rgb(0x12, 0x34, 0x56)),
        (200, 139, Color::rgb(255, 255, 255)),
        (199, 140, Color::rgb(255, 255, 255)),
    ] {
        assert_eq!(frame.color(x, y), Some(color), "{x},{y}");
    }
    screen.capture().unwrap();
    assert_eq!(screen.change(), Change::Nothing);
    perform(&mut screen, "left_click(150, 150)");
    screen.capture().unwrap();
    let Change::Within(first, last) = screen.change() else {
        panic!("{:?}", screen.change());
    };
    let pixel = |point: franz_action::Point| (point.x.to_pixel(WIDTH), point.y.to_pixel(HEIGHT));
    assert_eq!((pixel(first), pixel(last)), ((100, 70), (199, 139)));
}

#[test]
fn points_are_hit_within_a_pixel_at_every_scale() {
    const POINTS: [(i64, i64); 12] = [
        (0, 0),
        (1000, 0),
        (0, 1000),
        (1000, 1000),
        (500, 500),
        (123, 456),
        (999, 1),
        (1, 999),
        (333, 667),
        (250, 750),
        (501, 499),
        (77, 88),
    ];
    for scale in [1.0, 1.5, 2.0] {
        let stage = Stage::of(
            "<style>html{height:100%}</style><script>\
             onpointerdown = e => say([e.clientX, e.clientY].map(c => Math.round(c * devicePixelRatio)).join(' '))</script>",
            1568,
            896,
            scale,
        );
        let mut screen = stage.screen();
        assert_eq!((screen.frame().width(), screen.frame().height()), (1568, 896));
        for (x, y) in POINTS {
            perform(&mut screen, &format!("left_click({x}, {y})"));
            let point = franz_action::Point::clamped(x, y);
            let wanted = (point.x.to_pixel(1568), point.y.to_pixel(896));
            crate::stage::until("the click is told", || {
                let said = crate::stage::said(&mut screen);
                let (hit_x, hit_y) = said.split_once(' ')?;
                let hit: (i64, i64) = (hit_x.parse().ok()?, hit_y.parse().ok()?);
                let near = |hit: i64, wanted: u32| (hit - i64::from(wanted)).abs() <= 1;
                (near(hit.0, wanted.0) && near(hit.1, wanted.1)).then_some(())
            });
        }
    }
}

#[test]
#[ignore = "measures"]
fn figures() {
    let stage = Stage::of(
        "<style>html{height:100%}</style><script>let n = 0; onmousedown = () => { document.body.style.background = ++n % 2 ? '#800' : '#fff'; say('' + n) }\
         </script><div id=t></div><script>for (let i = 0; i < 60; i++) t.innerHTML += `<p style='color:rgb(${i*7%255},${i*13%255},30)'>Lorem ipsum dolor sit amet ${i} <button>B${i}</button></p>`</script>",
        1568,
        896,
        1.0,
    );
    let mut screen = stage.screen();
    let time = |screen: &mut franz_screen::Desktop, act: &dyn Fn(&mut franz_screen::Desktop)| {
        let mut all: Vec<_> = (0..40)
            .map(|_| {
                let began = std::time::Instant::now();
                act(screen);
                began.elapsed()
            })
            .collect();
        all.sort();
        format!("median {:?}, worst of ten {:?}", all[20], all[36])
    };
    println!(
        "capture: {}",
        time(&mut screen, &|screen| assert!(screen.capture().is_ok()))
    );
    let right = std::cell::Cell::new(false);
    println!(
        "click to changed picture: {}",
        time(&mut screen, &|screen| {
            // Two clicks at one position would be kept apart.
            right.set(!right.get());
            perform(
                screen,
                if right.get() {
                    "left_click(900, 500)"
                } else {
                    "left_click(800, 500)"
                },
            );
            screen.capture().unwrap();
            assert!(matches!(screen.change(), Change::Within(..)));
        })
    );
    says(&mut screen, "40");
}
