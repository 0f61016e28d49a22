//! The values that PipeWire sends and receives ("plain old data"), in native byte order.

/// The types of values that this client uses.
const NONE: u32 = 1;
const BOOL: u32 = 2;
pub(super) const ID: u32 = 3;
pub(super) const INT: u32 = 4;
const LONG: u32 = 5;
const TEXT: u32 = 8;
pub(super) const RECTANGLE: u32 = 10;
pub(super) const FRACTION: u32 = 11;
const STRUCT: u32 = 14;
const OBJECT: u32 = 15;
const FILE: u32 = 18;
const CHOICE: u32 = 19;

/// Every value begins at a multiple of this.
const ALIGNED: usize = 8;

/// A value that was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pod<'a> {
    kind: u32,
    body: &'a [u8],
}

/// A sequence of values that were received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pods<'a>(&'a [u8]);

/// A property of an object that was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Property<'a> {
    pub(super) key: u32,
    pub(super) value: Pod<'a>,
}

/// Splits off four bytes as a number.
fn word(bytes: &mut &[u8]) -> Option<u32> {
    let (word, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_ne_bytes(*word))
}

/// Splits off the value at the beginning, with its padding; the last value needs none.
fn split<'a>(bytes: &mut &'a [u8]) -> Option<Pod<'a>> {
    let length = word(bytes)? as usize;
    let kind = word(bytes)?;
    let body = bytes.get(..length)?;
    *bytes = bytes.get(length.next_multiple_of(ALIGNED)..).unwrap_or_default();
    Some(Pod { kind, body })
}

impl<'a> Pods<'a> {
    /// Returns the values inside the structure at the beginning of a message.
    pub(super) fn of_message(mut bytes: &'a [u8]) -> Option<Pods<'a>> {
        split(&mut bytes)?.fields()
    }

    pub(super) fn pod(&mut self) -> Option<Pod<'a>> {
        split(&mut self.0)
    }

    /// Returns the next value, which must be a number of 32 bits.
    pub(super) fn number(&mut self) -> Option<u32> {
        self.pod()?.number()
    }

    /// Returns the next value, which must be the number of one of the message's files.
    pub(super) fn file(&mut self) -> Option<usize> {
        self.pod()?.file()
    }

    /// Returns the next value, which must be a text.
    pub(super) fn text(&mut self) -> Option<String> {
        let pod = self.pod()?;
        let text = pod.body.split(|byte| *byte == 0).next()?;
        (pod.kind == TEXT).then(|| String::from_utf8_lossy(text).into_owned())
    }
}

impl<'a> Pod<'a> {
    pub(super) fn is_none(self) -> bool {
        self.kind == NONE
    }

    fn fields(self) -> Option<Pods<'a>> {
        (self.kind == STRUCT).then_some(Pods(self.body))
    }

    /// Returns the value itself, or the first one of a choice, which is the preferred one.
    fn first(self) -> Option<Pod<'a>> {
        if self.kind != CHOICE {
            return Some(self);
        }
        let mut rest = self.body;
        let (_choice, _flags) = (word(&mut rest)?, word(&mut rest)?);
        let (length, kind) = (word(&mut rest)?, word(&mut rest)?);
        let body = rest.get(..length as usize)?;
        Some(Pod { kind, body })
    }

    /// Returns a number of 32 bits.
    pub(super) fn number(self) -> Option<u32> {
        let Pod { kind, body } = self.first()?;
        let number = u32::from_ne_bytes(body.get(..4)?.try_into().ok()?);
        matches!(kind, INT | ID).then_some(number)
    }

    /// Returns the number of one of the message's files.
    pub(super) fn file(self) -> Option<usize> {
        let index = i64::from_ne_bytes(self.body.get(..8)?.try_into().ok()?);
        (self.kind == FILE).then(|| usize::try_from(index).ok())?
    }

    pub(super) fn rectangle(self) -> Option<(u32, u32)> {
        let Pod { kind, mut body } = self.first()?;
        let size = (word(&mut body)?, word(&mut body)?);
        (kind == RECTANGLE).then_some(size)
    }

    /// Returns the type, the id and the properties of an object.
    pub(super) fn object(self) -> Option<(u32, u32, impl Iterator<Item = Property<'a>>)> {
        let mut rest = self.body;
        let (kind, id) = (word(&mut rest)?, word(&mut rest)?);
        let properties = std::iter::from_fn(move || {
            let (key, _flags) = (word(&mut rest)?, word(&mut rest)?);
            let value = split(&mut rest)?;
            Some(Property { key, value })
        });
        (self.kind == OBJECT).then_some((kind, id, properties))
    }

    /// Writes the value as it was received.
    pub(super) fn write(self, to: &mut Writer) {
        to.put(self.kind, |bytes| bytes.extend_from_slice(self.body));
    }
}

/// Writes values one after another.
#[derive(Default)]
pub(super) struct Writer(Vec<u8>);

/// The kinds of choices.
pub(super) const RANGE: u32 = 1;
pub(super) const ENUM: u32 = 3;
pub(super) const FLAGS: u32 = 4;

impl Writer {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn put(&mut self, kind: u32, body: impl FnOnce(&mut Vec<u8>)) {
        let start = self.0.len();
        self.0.extend_from_slice(&[0; 4]);
        self.0.extend_from_slice(&kind.to_ne_bytes());
        body(&mut self.0);
        let length = self.0.len() - start - 8;
        self.0[start..start + 4].copy_from_slice(&(length as u32).to_ne_bytes());
        self.0.resize(self.0.len().next_multiple_of(ALIGNED), 0);
    }

    pub(super) fn bool(&mut self, value: bool) {
        self.put(BOOL, |bytes| bytes.extend_from_slice(&u32::from(value).to_ne_bytes()));
    }

    pub(super) fn id(&mut self, value: u32) {
        self.put(ID, |bytes| bytes.extend_from_slice(&value.to_ne_bytes()));
    }

    pub(super) fn int(&mut self, value: u32) {
        self.put(INT, |bytes| bytes.extend_from_slice(&value.to_ne_bytes()));
    }

    pub(super) fn long(&mut self, value: u64) {
        self.put(LONG, |bytes| bytes.extend_from_slice(&value.to_ne_bytes()));
    }

    #[cfg(test)]
    pub(super) fn file(&mut self, index: u64) {
        self.put(FILE, |bytes| bytes.extend_from_slice(&index.to_ne_bytes()));
    }

    #[cfg(test)]
    pub(super) fn rectangle(&mut self, (width, height): (u32, u32)) {
        self.put(RECTANGLE, |bytes| {
            bytes.extend_from_slice(&width.to_ne_bytes());
            bytes.extend_from_slice(&height.to_ne_bytes());
        });
    }

    pub(super) fn text(&mut self, value: &str) {
        self.put(TEXT, |bytes| {
            bytes.extend_from_slice(value.as_bytes());
            bytes.push(0);
        });
    }

    pub(super) fn structure(&mut self, fields: impl FnOnce(&mut Writer)) {
        self.put(STRUCT, |bytes| {
            let mut inner = Writer(std::mem::take(bytes));
            fields(&mut inner);
            *bytes = inner.0;
        });
    }

    pub(super) fn object(&mut self, kind: u32, id: u32, properties: impl FnOnce(&mut Writer)) {
        self.put(OBJECT, |bytes| {
            bytes.extend_from_slice(&kind.to_ne_bytes());
            bytes.extend_from_slice(&id.to_ne_bytes());
            let mut inner = Writer(std::mem::take(bytes));
            properties(&mut inner);
            *bytes = inner.0;
        });
    }

    /// Writes the key of an object's property; its value follows.
    pub(super) fn key(&mut self, key: u32) -> &mut Writer {
        self.0.extend_from_slice(&key.to_ne_bytes());
        self.0.extend_from_slice(&[0; 4]);
        self
    }

    /// Writes a choice among values of one type; each of them has `N` numbers.
    pub(super) fn choice<const N: usize>(&mut self, choice: u32, kind: u32, values: &[[u32; N]]) {
        self.put(CHOICE, |bytes| {
            for number in [choice, 0, 4 * N as u32, kind] {
                bytes.extend_from_slice(&number.to_ne_bytes());
            }
            for number in values.as_flattened() {
                bytes.extend_from_slice(&number.to_ne_bytes());
            }
        });
    }

    /// Writes the number of entries and the entries.
    pub(super) fn dictionary(&mut self, entries: &[(&str, &str)]) {
        self.int(entries.len() as u32);
        for (key, value) in entries {
            self.text(key);
            self.text(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(write: impl FnOnce(&mut Writer)) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.structure(write);
        writer.into_bytes()
    }

    /// Reads everything that can be read.
    fn explore(pod: Pod<'_>, depth: u32) {
        let _ = (pod.number(), pod.rectangle(), pod.is_none());
        if depth == 0 {
            return;
        }
        if let Some((_, _, properties)) = pod.object() {
            properties.for_each(|property| explore(property.value, depth - 1));
        }
        if let Some(mut fields) = pod.fields() {
            let _ = ({ fields }.text(), { fields }.file());
            while let Some(field) = fields.pod() {
                explore(field, depth - 1);
            }
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = written(|to| {
            to.int(7);
            to.id(8);
            to.text("nine");
            to.put(NONE, |_| ());
            to.object(0x40003, 4, |to| {
                to.key(1).id(2);
                to.key(2).choice(RANGE, RECTANGLE, &[[1280, 800], [1, 1], [4096, 4096]]);
                to.key(3).choice(FLAGS, INT, &[[6]]);
            });
            to.int(10);
        });
        assert_eq!(bytes.len() % 8, 0);
        let mut pods = Pods::of_message(&bytes).unwrap();
        assert_eq!((pods.number(), pods.number()), (Some(7), Some(8)));
        assert_eq!(pods.text().as_deref(), Some("nine"));
        assert!(pods.pod().unwrap().is_none());
        let object = pods.pod().unwrap();
        let (kind, id, properties) = object.object().unwrap();
        assert_eq!((kind, id), (0x40003, 4));
        let properties: Vec<_> = properties.collect();
        assert_eq!(properties.iter().map(|one| one.key).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(properties[0].value.number(), Some(2));
        assert_eq!(properties[1].value.rectangle(), Some((1280, 800)));
        assert_eq!(properties[2].value.number(), Some(6));
        assert_eq!((pods.number(), pods.pod()), (Some(10), None));
        let again = written(|to| object.write(to));
        assert_eq!(Pods::of_message(&again).unwrap().pod(), Some(object));
    }

    #[test]
    fn a_value_longer_than_its_message_is_none() {
        let mut bytes = written(|to| to.int(1));
        bytes[8..12].copy_from_slice(&u32::MAX.to_ne_bytes());
        assert_eq!(Pods::of_message(&bytes).unwrap().pod(), None);
        bytes[..4].copy_from_slice(&u32::MAX.to_ne_bytes());
        assert_eq!(Pods::of_message(&bytes), None);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let mut rest = &*bytes;
            while let Some(pod) = split(&mut rest) {
                explore(pod, 8);
            }
        }

        #[test]
        fn no_changed_message_panics(at in 0usize..200, byte: u8, length in 0usize..200) {
            let mut bytes = written(|to| {
                to.object(0x40003, 4, |to| {
                    to.key(1).id(2);
                    to.key(2).choice(ENUM, ID, &[[8], [7], [12]]);
                    to.key(3).choice(RANGE, FRACTION, &[[0, 1], [0, 1], [60, 1]]);
                });
                to.structure(|to| to.dictionary(&[("a", "b")]));
            });
            let at = at % bytes.len();
            bytes[at] = byte;
            bytes.truncate(length);
            if let Some(pod) = split(&mut &*bytes) {
                explore(pod, 8);
            }
        }
    }
}
