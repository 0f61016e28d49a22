//! A picture like a photo, with soft shapes, fine structure, and the grain of a camera.

/// Returns the picture in the format of a desktop. Its pixels are blue, green, red and one unused byte.
pub(crate) fn photo(width: u32, height: u32) -> Vec<u8> {
    let mut picture = Vec::with_capacity(width as usize * height as usize * 4);
    let mut dice = Dice(1);
    for y in 0..height {
        for x in 0..width {
            let (x, y) = (x as f32, y as f32);
            // Octaves of noise, as in a landscape from hills to gravel.
            let ground: f32 = (0..6)
                .map(|octave| {
                    let scale = 320.0 / (1 << octave) as f32;
                    (noise(x / scale, y / scale) - 0.5) * 150.0 / 1.8_f32.powi(octave)
                })
                .sum();
            let light = 150.0 - y / height as f32 * 60.0 + ground;
            for tint in [1.1, 1.0, 0.85] {
                picture.push((light * tint + dice.grain()).clamp(0.0, 255.0) as u8);
            }
            picture.push(0);
        }
    }
    picture
}

/// Returns a smooth value from 0 to 1, which is always the same for the same point.
fn noise(x: f32, y: f32) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let at = |dx: f32, dy: f32| {
        let corner = (left + dx) as u32 ^ ((top + dy) as u32).wrapping_mul(0x9e37_79b9);
        let mixed = (corner ^ (corner >> 15)).wrapping_mul(0x85eb_ca6b);
        ((mixed ^ (mixed >> 13)).wrapping_mul(0xc2b2_ae35) >> 8) as f32 / (1 << 24) as f32
    };
    let ease = |part: f32| part * part * (3.0 - 2.0 * part);
    let (right, down) = (ease(x - left), ease(y - top));
    let above = at(0.0, 0.0) * (1.0 - right) + at(1.0, 0.0) * right;
    let below = at(0.0, 1.0) * (1.0 - right) + at(1.0, 1.0) * right;
    above * (1.0 - down) + below * down
}

/// A random number generator.
struct Dice(u64);

impl Dice {
    /// Returns a number from -1 to 1.
    fn grain(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}
