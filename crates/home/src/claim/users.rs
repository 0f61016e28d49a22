//! Determines which user and group IDs can only stand for this user or root.

use std::fs;

use rustix::process::{getegid, geteuid};

/// Returns whether `group` is this user's private group. Most Linux distributions create one for each user, with the
/// user's name and no other members. Only this user can then write to a directory that the group may write to.
pub(super) fn is_own_group(group: u32) -> bool {
    if !cfg!(target_os = "linux") || group != getegid().as_raw() {
        return false;
    }
    let file = |path| fs::read_to_string(path).unwrap_or_default();
    is_alone(&file("/etc/passwd"), &file("/etc/group"), geteuid().as_raw(), group)
}

/// Parses `passwd` (name:password:user:group:...) and `groups` (name:password:group:members).
fn is_alone(passwd: &str, groups: &str, user: u32, group: u32) -> bool {
    let fields = |line: &'_ str| line.split(':').map(str::to_owned).collect::<Vec<_>>();
    let number = |field: Option<&String>| field.and_then(|field| field.parse::<u32>().ok());
    let users: Vec<_> = passwd.lines().map(fields).collect();
    let names: Vec<_> = users.iter().filter(|line| number(line.get(2)) == Some(user)).collect();
    let [own] = names[..] else {
        return false;
    };
    let others = users
        .iter()
        .any(|line| number(line.get(3)) == Some(group) && line[0] != own[0]);
    let groups: Vec<_> = groups.lines().map(fields).collect();
    let same: Vec<_> = groups
        .iter()
        .filter(|line| number(line.get(2)) == Some(group))
        .collect();
    let [found] = same[..] else {
        return false;
    };
    let members = found.get(3).map_or("", String::as_str);
    let alone = members.split(',').all(|member| member.is_empty() || member == own[0]);
    !others && found[0] == own[0] && alone
}

/// Returns whether `user` is the ID that a user namespace shows for all users it does not map, including the machine's
/// root. Inside the namespace, these users cannot be distinguished, and the directories above those of other users are
/// owned by root.
pub(super) fn stands_for_root(user: u32) -> bool {
    if !cfg!(target_os = "linux") {
        return false;
    }
    let file = |path| fs::read_to_string(path).unwrap_or_default();
    let unknown = file("/proc/sys/kernel/overflowuid").trim().parse().unwrap_or(65534);
    user == unknown && !is_mapped(&file("/proc/self/uid_map"), user)
}

/// Parses lines of `inside outside count`. If there are none, as on systems without namespaces, every user is mapped.
fn is_mapped(map: &str, user: u32) -> bool {
    let mut ranges = map.lines().filter_map(|line| {
        let mut numbers = line.split_whitespace().map_while(|number| number.parse::<u64>().ok());
        Some((numbers.next()?, numbers.nth(1)?))
    });
    map.trim().is_empty() || ranges.any(|(first, count)| (first..first.saturating_add(count)).contains(&user.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_group_has_the_users_name_and_no_other_member() {
        let passwd =
            "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:100::/home/bob:/bin/sh\n";
        let cases = [
            ("ann:x:1000:\n", passwd, true),
            ("ann:x:1000:ann\n", passwd, true),
            ("ann:x:1000:bob\n", passwd, false),
            ("staff:x:1000:\n", passwd, false),
            ("ann:x:1000:\nmore:x:1000:bob\n", passwd, false),
            ("", passwd, false),
            ("ann:x:1000:\n", "", false),
            ("ann:x:1000:\n", "ann:x:1000:1000::\neve:x:1002:1000::\n", false),
            ("ann:x:1000:\n", "ann:x:1000:1000::\neve:x:1000:100::\n", false),
        ];
        for (groups, passwd, expected) in cases {
            assert_eq!(is_alone(passwd, groups, 1000, 1000), expected, "{groups:?} {passwd:?}");
        }
    }

    #[test]
    fn only_an_unmapped_user_may_be_root() {
        for (map, expected) in [
            ("         0          0 4294967295\n", true),
            ("         0       1000          1\n", false),
            ("0 100000 65536\n", true),
            ("0 1000 1\n1 100000 65535\n", true),
            ("", true),
        ] {
            assert_eq!(is_mapped(map, 65534), expected, "{map:?}");
        }
    }
}
