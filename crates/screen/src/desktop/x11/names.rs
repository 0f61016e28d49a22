//! The titles and classes of windows, including those that no window manager lists.

use x11rb::errors::ReplyError;
use x11rb::protocol::xproto::{Atom, AtomEnum, ConnectionExt as _, GetPropertyReply, Window as Id};

use super::server::{Answer, Server};

/// The longest title, in units of four bytes.
pub(super) const TITLE: u32 = 256;

/// How deep to look for titles, since a window manager puts windows around a program's own.
const DEPTH: usize = 4;

/// The maximum number of windows to look at.
const MOST: usize = 4096;

/// Returns these windows and those inside them.
pub(super) fn with_inner(server: &Server, mut ids: Vec<Id>) -> Answer<Vec<Id>> {
    let mut all = Vec::new();
    for _ in 0..DEPTH {
        // Send all questions before reading the first answer.
        let asked: Result<Vec<_>, _> = ids.iter().map(|id| server.connection.query_tree(*id)).collect();
        all.append(&mut ids);
        for asked in asked? {
            let tree = there(asked.reply())?;
            ids.extend(tree.into_iter().flat_map(|tree| tree.children));
        }
        if ids.is_empty() || all.len() + ids.len() > MOST {
            break;
        }
    }
    all.append(&mut ids);
    Ok(all)
}

/// Returns the titles and classes of these windows.
pub(super) fn names(server: &Server, ids: &[Id]) -> Answer<Vec<String>> {
    let title = server.atom("_NET_WM_NAME")?;
    let connection = &server.connection;
    let ask = |id: Id, name: Atom| connection.get_property(false, id, name, AtomEnum::ANY, 0, TITLE);
    let mut asked = Vec::new();
    for id in ids {
        let old_title = ask(*id, AtomEnum::WM_NAME.into())?;
        asked.push((ask(*id, title)?, old_title, ask(*id, AtomEnum::WM_CLASS.into())?));
    }
    let mut names = Vec::new();
    for (title, old_title, class) in asked {
        let titles = [there(title.reply())?, there(old_title.reply())?];
        names.extend(titles.iter().flatten().map(text));
        names.extend(there(class.reply())?.as_ref().map(class_of));
    }
    names.retain(|name| !name.is_empty());
    Ok(names)
}

/// Returns an answer, or `None` if its subject has vanished.
pub(super) fn there<T>(answer: Result<T, ReplyError>) -> Answer<Option<T>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(ReplyError::X11Error(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Reads text as UTF-8 or else as Latin-1, whatever encoding the program declares.
pub(super) fn text(property: &GetPropertyReply) -> String {
    match std::str::from_utf8(&property.value) {
        Ok(text) => text.to_owned(),
        Err(_) => property.value.iter().copied().map(char::from).collect(),
    }
}

/// Reads a class, the last of several NUL-terminated strings; the instance comes before it.
pub(super) fn class_of(property: &GetPropertyReply) -> String {
    let value = property.value.strip_suffix(&[0]).unwrap_or(&property.value);
    let last = value.rsplit(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(last).into_owned()
}
