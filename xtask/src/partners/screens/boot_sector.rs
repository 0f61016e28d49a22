//! A guest of 512 bytes: a boot sector that echoes keys, paints the path of the mouse, and reports both on its serial
//! port.
//!
//! The guest has no driver for the USB tablet that people usually give their guests. QEMU also offers `vmmouse`, which
//! reports positions, at port 0x5658. Put a command in `cl`, an argument in `ebx` and the magic number in `eax`; an
//! `in` instruction then changes all registers.

/// The instructions, each with its encoding for a processor in real mode. They are loaded at 0x7c00.
const CODE: [(&str, &str); 69] = [
    ("31 c0", "xor ax, ax"),
    ("8e d8", "mov ds, ax"),
    ("8e d0", "mov ss, ax"),
    ("bc 00 7c", "mov sp, 0x7c00"),
    // A screen of 320x200 pixels, one byte each, which QEMU shows at twice the size.
    ("b8 13 00", "mov ax, 0x13"),
    ("cd 10", "int 0x10"),
    // Enable the mouse, read its version, and ask for positions instead of movements.
    ("66 bb 52 45 41 45", "mov ebx, 'REAE'"),
    ("b1 29", "mov cl, 41"),
    ("e8 7c 00", "call port"),
    ("66 bb 01 00 00 00", "mov ebx, 1"),
    ("b1 27", "mov cl, 39"),
    ("e8 71 00", "call port"),
    ("66 bb 52 41 42 53", "mov ebx, 'RABS'"),
    ("b1 29", "mov cl, 41"),
    ("e8 66 00", "call port"),
    ("b0 06", "mov al, READY"),
    ("e8 71 00", "call send"),
    // again: is there a key?
    ("b4 01", "mov ah, 1"),
    ("cd 16", "int 0x16"),
    ("74 0e", "jz mouse"),
    // Read the key, report it, and write it to the screen.
    ("30 e4", "xor ah, ah"),
    ("cd 16", "int 0x16"),
    ("e8 64 00", "call send"),
    ("bb 0f 00", "mov bx, 15"),
    ("b4 0e", "mov ah, 14"),
    ("cd 10", "int 0x10"),
    // mouse: does it have anything to report?
    ("b1 28", "mov cl, 40"),
    ("e8 48 00", "call port"),
    ("85 c0", "test ax, ax"),
    ("74 e3", "jz again"),
    // Read four numbers: the buttons in ax, the position in bx and cx in units of 1/65536 of the screen, and the wheel.
    ("66 bb 04 00 00 00", "mov ebx, 4"),
    ("b1 27", "mov cl, 39"),
    ("e8 39 00", "call port"),
    // Report them: a marker byte, the buttons, and the position.
    ("89 c6", "mov si, ax"),
    ("b0 1b", "mov al, MOUSE"),
    ("e8 42 00", "call send"),
    ("89 f0", "mov ax, si"),
    ("e8 3d 00", "call send"),
    ("89 ce", "mov si, cx"),
    ("88 f8", "mov al, bh"),
    ("e8 36 00", "call send"),
    ("88 d8", "mov al, bl"),
    ("e8 31 00", "call send"),
    ("89 f0", "mov ax, si"),
    ("88 e0", "mov al, ah"),
    ("e8 2a 00", "call send"),
    ("89 f0", "mov ax, si"),
    ("e8 25 00", "call send"),
    // Paint the pixel at that position.
    ("b8 40 01", "mov ax, 320"),
    ("f7 e3", "mul bx"),
    ("89 d1", "mov cx, dx"),
    ("b8 c8 00", "mov ax, 200"),
    ("f7 e6", "mul si"),
    ("31 db", "xor bx, bx"),
    ("b8 0f 0c", "mov ax, 0x0c0f"),
    ("cd 10", "int 0x10"),
    ("eb 9f", "jmp again"),
    // port: sends the mouse a command.
    ("66 b8 68 58 4d 56", "mov eax, 'hXMV'"),
    ("66 0f b6 c9", "movzx ecx, cl"),
    ("ba 58 56", "mov dx, 0x5658"),
    ("66 ed", "in eax, dx"),
    ("c3", "ret"),
    // send: waits until the serial port is ready, and sends al.
    ("88 c4", "mov ah, al"),
    ("ba fd 03", "mov dx, 0x3fd"),
    ("ec", "in al, dx"),
    ("a8 20 74 fb", "test al, 0x20; jz to the line before"),
    ("88 e0", "mov al, ah"),
    ("ba f8 03", "mov dx, 0x3f8"),
    ("ee c3", "out dx, al; ret"),
];

/// The byte that the guest sends as soon as it is running.
pub(super) const READY: u8 = 6;
/// The byte that the guest sends before the mouse's buttons and position.
pub(super) const MOUSE: u8 = 27;
/// The bit for the left button.
pub(super) const LEFT: u8 = 0x20;

/// Returns the boot sector as the only sector of a disk.
pub(super) fn image() -> Vec<u8> {
    let bytes = CODE.iter().flat_map(|(bytes, _)| bytes.split(' '));
    let mut image: Vec<u8> = bytes.filter_map(|byte| u8::from_str_radix(byte, 16).ok()).collect();
    image.resize(510, 0);
    image.extend([0x55, 0xaa]);
    image
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_of_the_boot_sector_lead_to_instructions() {
        let mut starts = vec![];
        let mut jumps = vec![];
        let mut at = 0;
        for (bytes, text) in CODE {
            starts.push(at);
            let bytes: Vec<u8> = bytes
                .split(' ')
                .map(|byte| u8::from_str_radix(byte, 16).unwrap())
                .collect();
            at += bytes.len();
            match bytes[..] {
                [0xe8, low, high] => jumps.push((text, at as i32 + i32::from(i16::from_le_bytes([low, high])))),
                [0x74 | 0xeb, by] => jumps.push((text, at as i32 + i32::from(by as i8))),
                _ => {}
            }
        }
        for (text, to) in jumps {
            assert!(starts.contains(&(to as usize)), "{text}: {to:#x}");
        }
        assert_eq!(image().len(), 512);
    }
}
