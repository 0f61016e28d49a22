//! The states of elements, as programs report them over AT-SPI.

/// A set of states, each a bit in the two numbers that a program reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct States(pub(super) u64);

impl States {
    const CHECKED: u32 = 4;
    const ENABLED: u32 = 8;
    const PRESSED: u32 = 20;
    const SENSITIVE: u32 = 24;
    const SHOWING: u32 = 25;

    pub(super) fn of(numbers: &[u32]) -> States {
        let number = |at: usize| u64::from(numbers.get(at).copied().unwrap_or_default());
        States(number(0) | number(1) << 32)
    }

    fn has(self, bit: u32) -> bool {
        self.0 >> bit & 1 == 1
    }

    pub(super) fn is_showing(self) -> bool {
        self.has(States::SHOWING)
    }

    pub(super) fn is_enabled(self) -> bool {
        self.has(States::ENABLED) || self.has(States::SENSITIVE)
    }

    pub(super) fn is_checked(self) -> bool {
        self.has(States::CHECKED) || self.has(States::PRESSED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_bits_of_two_numbers() {
        let states = States::of(&[1 << 25 | 1 << 4, 0]);
        assert!(states.is_showing() && states.is_checked() && !states.is_enabled());
        assert_eq!(States::of(&[]), States::default());
        assert_eq!(States::of(&[0, 1]), States(1 << 32));
    }
}
