use serde_json::Value;

use super::*;

/// Returns a result in the form that is sent to the host.
fn sent(told: Told, shows: bool) -> Value {
    serde_json::to_value(of(told, shows)).unwrap()
}

fn asked(words: &str, picture: Option<(&str, Vec<u8>)>) -> Asked {
    let picture = picture.map(|(kind, bytes)| News::Picture {
        media_type: kind.to_owned(),
        data: STANDARD.encode_to_string(bytes),
    });
    Asked {
        news: [News::Words(words.to_owned())].into_iter().chain(picture).collect(),
        ..Asked::default()
    }
}

/// A picture that no encoder can make small.
fn noise(width: u32, height: u32) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(7);
    let pixels = (0..width * height * 3).map(|_| random.u8(..)).collect();
    let frame = Frame::new(width, height, PixelFormat::Rgb8, pixels).unwrap();
    png::encode(&frame).unwrap()
}

#[test]
fn a_picture_that_fits_stays_as_it_is() {
    let bytes = noise(40, 30);
    let result = sent(Told::Done(asked("ok", Some(("image/png", bytes.clone())))), true);
    assert_eq!(result["isError"], false);
    assert_eq!(result["content"][0]["text"], "ok");
    assert_eq!(result["content"][1]["mimeType"], "image/png");
    let data = result["content"][1]["data"].as_str().unwrap();
    assert_eq!(STANDARD.decode_to_vec(data).unwrap(), bytes);
}

#[test]
fn the_host_may_do_without_a_picture() {
    let result = sent(Told::Done(asked("ok", Some(("image/png", noise(4, 4))))), false);
    assert_eq!(result["content"].as_array().unwrap().len(), 1);
}

#[test]
fn a_large_picture_becomes_a_jpeg_and_the_result_stays_below_a_million_bytes() {
    for words in [1, 100_000] {
        let words = "\"".repeat(words);
        let told = Told::Done(asked(&words, Some(("image/png", noise(1568, 896)))));
        let result = sent(told, true);
        assert!(result.to_string().len() < 1_000_000, "{}", result.to_string().len());
        assert_eq!(result["content"][1]["mimeType"], "image/jpeg");
    }
}

#[test]
fn several_pictures_share_the_room() {
    let mut asked = asked("ok", Some(("image/png", noise(800, 600))));
    let picture = asked.news[1].clone();
    asked.news.extend([picture.clone(), picture]);
    let result = sent(Told::Done(asked), true);
    assert!(result.to_string().len() < 1_000_000, "{}", result.to_string().len());
    let pictures = result["content"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|part| part["mimeType"] == "image/jpeg");
    assert_eq!(pictures.count(), 3);
}

#[test]
fn a_picture_that_cannot_be_made_small_is_replaced_by_advice() {
    let told = Told::Done(asked("ok", Some(("image/png", noise(4000, 3000)))));
    let result = sent(told, true);
    assert!(result["content"][1]["text"].as_str().unwrap().contains("image.width"));
}

#[test]
fn what_was_not_done_is_an_error_that_says_why() {
    let failed = Asked {
        failed: true,
        ..asked("held", None)
    };
    for (told, words) in [
        (Told::Done(failed), "held"),
        (Told::Withdrawn, "withdrawn before"),
        (Told::Dropped, "perhaps not performed"),
        (
            Told::Ended("stopped".to_owned()),
            "not performed, because the run has ended: stopped",
        ),
        (
            Told::Cut("stopped".to_owned()),
            "perhaps performed, wholly or in part: the run has ended: stopped",
        ),
    ] {
        let result = sent(told, true);
        assert_eq!(result["isError"], true);
        assert!(
            result["content"][0]["text"].as_str().unwrap().contains(words),
            "{result}"
        );
    }
}
