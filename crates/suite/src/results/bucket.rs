//! Results in an object store that speaks the protocol of Amazon S3.
//!
//! An object appears as a whole. A try is there once its `result.json` or `failed.json` is, which is therefore written
//! last; the result of an attempt is written only if there is none (`If-None-Match: *`).

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs::File;
use std::future::Future;
use std::io::{self, Cursor, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::aws::AmazonS3Builder;
use object_store::client::HttpError;
use object_store::path::Path as Key;
use object_store::{
    Error, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload, RetryConfig, WriteMultipart,
};
use tokio::runtime::Runtime;

use super::place::{PublishedTry, ReadFile, ResultPlace, attempt_name, attempt_number, result_path};
use super::{DUPLICATE_FILE, FAILED_FILE, Publication, RESULT_FILE, StoreError};
use crate::archive;
use crate::folder::{self, FolderError};

/// The archive with the suite's files: objects have no permissions, and a suite's digest covers them.
const SUITE_ARCHIVE: &str = "suite.zip";

/// An object by which a store shows whether it refuses to write what exists.
const PROBE: &str = "probe";

/// The largest suite in bytes.
const MOST_SUITE_BYTES: u64 = 1 << 30;

/// Larger files are sent in parts of this size, a few at a time.
const PART: usize = 8 << 20;
const PARTS_AT_ONCE: usize = 4;

/// How many small objects are read at the same time, and how many attempts are listed one by one.
const AT_ONCE: usize = 32;
const ONE_BY_ONE: usize = 16;

/// How long a request is repeated while the store does not answer, and the first and the longest pause before it is, as
/// far as the client does not repeat it on its own.
const PATIENCE: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// How often a store may contradict itself about whether an object exists, while others write it.
const CONFLICTS: u32 = 5;

/// The most text shown of an error.
const TOLD: usize = 400;

/// The variables of which one must be set, to provide credentials.
const CREDENTIALS: [&str; 6] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_METADATA_ENDPOINT",
    "AWS_SKIP_SIGNATURE",
];

/// A prefix of an object store's bucket.
#[derive(Debug)]
pub(super) struct ResultBucket {
    store: Arc<dyn ObjectStore>,
    prefix: Key,
    /// The address without a slash at its end.
    address: String,
    runtime: Runtime,
}

impl ResultBucket {
    /// Opens `s3://BUCKET/PREFIX`. The `AWS_` variables provide its server and credentials.
    pub(super) fn open(address: &str) -> Result<ResultBucket, StoreError> {
        let wrong = |problem: String| StoreError::Address {
            address: address.to_owned(),
            problem,
        };
        let (bucket, _) = parts(address).map_err(wrong)?;
        if CREDENTIALS.iter().all(|name| env::var_os(name).is_none()) {
            return Err(wrong(
                "there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_ENDPOINT_URL if \
                 the store is not Amazon's"
                    .to_owned(),
            ));
        }
        // Whoever installed one first may keep it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let retry = RetryConfig {
            max_retries: usize::MAX,
            retry_timeout: PATIENCE,
            ..RetryConfig::default()
        };
        let builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retry);
        let store = builder.build().map_err(|error| wrong(told(&error)))?;
        ResultBucket::of(Arc::new(store), address)
    }

    /// Opens an address in this store.
    pub(super) fn of(store: Arc<dyn ObjectStore>, address: &str) -> Result<ResultBucket, StoreError> {
        let wrong = |problem: String| StoreError::Address {
            address: address.to_owned(),
            problem,
        };
        let (_, prefix) = parts(address).map_err(wrong)?;
        // A separate thread keeps the connections alive, because several threads publish at the same time.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| wrong(error.to_string()))?;
        Ok(ResultBucket {
            store,
            prefix,
            address: address.trim_end_matches('/').to_owned(),
            runtime,
        })
    }

    fn key(&self, path: &str) -> Key {
        path.split('/').fold(self.prefix.clone(), Key::join)
    }

    /// Waits for an answer, whose error names the object.
    fn wait<T>(&self, path: &str, answer: impl Future<Output = Result<T, Error>>) -> Result<T, StoreError> {
        self.runtime.block_on(answer).map_err(|error| self.failed(path, &error))
    }

    fn failed(&self, path: &str, error: &Error) -> StoreError {
        let (path, problem) = (self.at(path), told(error));
        if is_refused(error) {
            let address = path.display().to_string();
            return StoreError::Address { address, problem };
        }
        StoreError::ObjectStore { path, problem }
    }

    fn bad(&self, path: &str, problem: String) -> StoreError {
        let file = self.at(path);
        StoreError::BadResult { file, problem }
    }

    /// Returns the paths of all objects below a path.
    fn list(&self, below: &str) -> Result<Vec<String>, StoreError> {
        let key = if below.is_empty() {
            self.prefix.clone()
        } else {
            self.key(below)
        };
        let listed: Vec<ObjectMeta> = self.wait(below, self.store.list(Some(&key)).try_collect())?;
        let path = |object: ObjectMeta| {
            let parts: Vec<String> = object
                .location
                .prefix_match(&self.prefix)?
                .map(|part| part.as_ref().to_owned())
                .collect();
            Some(parts.join("/"))
        };
        Ok(listed.into_iter().filter_map(path).collect())
    }

    /// Writes an object unless there is one. Returns whether it was written.
    fn put_new(&self, path: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        let (key, began) = (self.key(path), Instant::now());
        let (mut conflicts, mut pause) = (0, PAUSE);
        loop {
            let payload = PutPayload::from(bytes.to_vec());
            let put = self.store.put_opts(&key, payload, PutOptions::from(PutMode::Create));
            let failed = match self.runtime.block_on(put) {
                Ok(_) => return Ok(true),
                Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => None,
                Err(error) if is_refused(&error) => return Err(self.failed(path, &error)),
                Err(error) => Some(error),
            };
            // The object may be our own: the store may have written it, and its answer was lost.
            if let Some(there) = self.read(path, u64::MAX)? {
                return Ok(there == bytes);
            }
            match failed {
                // The client does not repeat what may have reached the store.
                Some(error) if is_cut_off(&error) && began.elapsed() < PATIENCE => {}
                Some(error) => return Err(self.failed(path, &error)),
                None if conflicts < CONFLICTS => conflicts += 1,
                None => {
                    return Err(StoreError::ObjectStore {
                        path: self.at(path),
                        problem: "it reports both that the object exists and that it does not".to_owned(),
                    });
                }
            }
            std::thread::sleep(pause);
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    /// Checks that the store refuses to write what exists: one that ignores the condition would replace results.
    fn check_conditions(&self) -> Result<(), StoreError> {
        if self.put_new(PROBE, b"first")? && !self.put_new(PROBE, b"second")? {
            return Ok(());
        }
        Err(StoreError::Address {
            address: self.address.clone(),
            problem: "this object store overwrites objects despite If-None-Match, so it cannot \
                      keep the first of two results; use another one, or a folder"
                .to_owned(),
        })
    }

    /// Writes an object from a file.
    fn put_file(&self, path: &str, file: &Path) -> Result<(), StoreError> {
        let mut source = open(file)?;
        let mut part = Vec::new();
        let next = |source: &mut File, part: &mut Vec<u8>| -> Result<usize, StoreError> {
            part.clear();
            let read = source.take(PART as u64).read_to_end(part);
            Ok(read.map_err(FolderError::at(file))?)
        };
        let key = self.key(path);
        if next(&mut source, &mut part)? < PART {
            self.wait(path, self.store.put(&key, PutPayload::from(part)))?;
            return Ok(());
        }
        let mut upload = WriteMultipart::new_with_chunk_size(self.wait(path, self.store.put_multipart(&key))?, PART);
        let mut send = || -> Result<(), StoreError> {
            loop {
                self.wait(path, async {
                    upload.wait_for_capacity(PARTS_AT_ONCE).await?;
                    upload.write(&part);
                    Ok(())
                })?;
                if next(&mut source, &mut part)? == 0 {
                    return Ok(());
                }
            }
        };
        if let Err(error) = send() {
            // Otherwise, the store keeps the parts, and charges for them.
            let _ = self.runtime.block_on(upload.abort());
            return Err(error);
        }
        self.wait(path, upload.finish())?;
        Ok(())
    }

    /// Writes an object to a new file.
    fn get_file(&self, path: &str, to: &Path) -> Result<bool, StoreError> {
        let answer = match self.runtime.block_on(self.store.get(&self.key(path))) {
            Ok(answer) => answer,
            Err(Error::NotFound { .. }) => return Ok(false),
            Err(error) => return Err(self.failed(path, &error)),
        };
        let mut file = create(to)?;
        let mut parts = answer.into_stream();
        while let Some(part) = self.wait(path, parts.try_next())? {
            file.write_all(&part).map_err(FolderError::at(to))?;
        }
        Ok(true)
    }
}

impl ResultPlace for ResultBucket {
    fn at(&self, path: &str) -> PathBuf {
        if path.is_empty() {
            return PathBuf::from(&self.address);
        }
        PathBuf::from(format!("{}/{path}", self.address))
    }

    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let read = self.runtime.block_on(read(&*self.store, self.key(path), most));
        match read {
            Ok(Ok(bytes)) => Ok(Some(bytes)),
            Ok(Err(problem)) => Err(self.bad(path, problem)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.failed(path, &error)),
        }
    }

    fn read_all(&self, paths: &[String], most: u64) -> Result<Vec<ReadFile>, StoreError> {
        let reads = paths.iter().map(|path| async move {
            let read = match read(&*self.store, self.key(path), most).await {
                Err(Error::NotFound { .. }) => Err("it has gone".to_owned()),
                read => read?,
            };
            Ok(read.map_err(|problem| self.bad(path, problem)))
        });
        self.wait("", stream::iter(reads).buffered(AT_ONCE).try_collect())
    }

    fn has(&self, path: &str) -> Result<bool, StoreError> {
        match self.runtime.block_on(self.store.head(&self.key(path))) {
            Ok(_) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(self.failed(path, &error)),
        }
    }

    fn put(&self, path: &str, bytes: &[u8], _: &str) -> Result<(), StoreError> {
        let payload = PutPayload::from(bytes.to_vec());
        self.wait(path, self.store.put(&self.key(path), payload))?;
        Ok(())
    }

    fn written(&self, path: &str) -> Result<SystemTime, StoreError> {
        Ok(self.wait(path, self.store.head(&self.key(path)))?.last_modified.into())
    }

    fn decided(&self) -> Result<BTreeSet<u32>, StoreError> {
        let decided = |path: &String| {
            let attempt = attempt_number(path.split_once('/')?.0)?;
            (*path == result_path(attempt)).then_some(attempt)
        };
        Ok(self.list("")?.iter().filter_map(decided).collect())
    }

    fn tries(&self, of: Option<&BTreeSet<u32>>) -> Result<Vec<PublishedTry>, StoreError> {
        let paths = match of {
            Some(attempts) if attempts.len() <= ONE_BY_ONE => {
                let lists = attempts.iter().map(|attempt| self.list(&attempt_name(*attempt)));
                lists.collect::<Result<Vec<_>, _>>()?.concat()
            }
            _ => self.list("")?,
        };
        let tries = tries_in(&paths).into_iter();
        Ok(tries
            .filter(|one| of.is_none_or(|of| of.contains(&one.attempt)))
            .collect())
    }

    fn publish(&self, one: &PublishedTry, files: &Path, note: &[u8], _: &str) -> Result<bool, StoreError> {
        if self.has(&one.note())? {
            return Ok(false);
        }
        for path in folder::paths(files)? {
            let is_note = [RESULT_FILE, FAILED_FILE].contains(&path.as_str());
            if !is_note {
                self.put_file(&format!("{}/{path}", one.folder()), &files.join(&path))?;
            }
        }
        self.put_new(&one.note(), note)
    }

    fn commit(&self, one: &PublishedTry) -> Result<Publication, StoreError> {
        let own = self.read(&one.note(), u64::MAX)?;
        let own = own.ok_or_else(|| self.bad(&one.note(), "it has gone".to_owned()))?;
        if self.put_new(&result_path(one.attempt), &own)? {
            return Ok(Publication::First);
        }
        self.put(&format!("{}/{DUPLICATE_FILE}", one.folder()), b"", "")?;
        Ok(Publication::Duplicate)
    }

    fn fetch(&self, path: &str, to: &Path) -> Result<bool, StoreError> {
        self.get_file(path, to)
    }

    fn fetch_try(&self, one: &PublishedTry, to: &Path) -> Result<(), StoreError> {
        folder::make(to)?;
        let start = format!("{}/", one.folder());
        for path in self.list(&one.folder())? {
            let name = path.strip_prefix(&start).unwrap_or_default();
            if name == DUPLICATE_FILE || !folder::is_inside(name) {
                continue;
            }
            let file = to.join(name);
            if let Some(parent) = file.parent() {
                folder::make(parent)?;
            }
            self.get_file(&path, &file)?;
        }
        Ok(())
    }

    fn put_suite(&self, suite: &Path, without: &[PathBuf]) -> Result<(), StoreError> {
        self.check_conditions()?;
        let packed = archive::pack_into(suite, without, Cursor::new(Vec::new()), &self.at(SUITE_ARCHIVE))?;
        self.put(SUITE_ARCHIVE, &packed.into_inner(), "")
    }

    fn fetch_suite(&self, to: &Path) -> Result<(), StoreError> {
        let packed = self.read(SUITE_ARCHIVE, MOST_SUITE_BYTES)?;
        let packed = packed.ok_or_else(|| self.bad(SUITE_ARCHIVE, "it is not there; plan again".to_owned()))?;
        Ok(archive::unpack_from(Cursor::new(packed), &self.at(SUITE_ARCHIVE), to)?)
    }

    fn folder(&self) -> Option<&Path> {
        None
    }
}

/// Returns the bucket and the prefix of an address.
fn parts(address: &str) -> Result<(&str, Key), String> {
    let rest = address.strip_prefix("s3://").unwrap_or(address);
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    let prefix = Key::parse(prefix).map_err(|error| error.to_string())?;
    if bucket.is_empty() || prefix.as_ref().is_empty() {
        return Err("write s3://BUCKET/PREFIX, with a prefix of its own for each plan".to_owned());
    }
    Ok((bucket, prefix))
}

/// Returns the tries whose notes are among these paths, by attempt.
fn tries_in(paths: &[String]) -> Vec<PublishedTry> {
    let mut found: BTreeMap<(u32, &str), BTreeSet<&str>> = BTreeMap::new();
    for path in paths {
        let mut parts = path.splitn(3, '/');
        let (Some(attempt), Some(one), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        if let (Some(attempt), Some(id)) = (attempt_number(attempt), one.strip_prefix("try_")) {
            found.entry((attempt, id)).or_default().insert(name);
        }
    }
    let there = found.into_iter().filter(|(_, names)| {
        let notes = [RESULT_FILE, FAILED_FILE];
        notes.iter().any(|note| names.contains(note))
    });
    let one = |((attempt, id), names): ((u32, &str), BTreeSet<&str>)| PublishedTry {
        attempt,
        id: id.to_owned(),
        has_result: names.contains(RESULT_FILE),
        is_duplicate: names.contains(DUPLICATE_FILE),
    };
    there.map(one).collect()
}

/// Reads an object of at most `most` bytes. The inner error says why it is damaged.
async fn read(store: &dyn ObjectStore, key: Key, most: u64) -> Result<Result<Vec<u8>, String>, Error> {
    let answer = store.get(&key).await?;
    if answer.meta.size > most {
        return Ok(Err(format!("it is longer than {most} bytes")));
    }
    Ok(Ok(answer.bytes().await?.to_vec()))
}

/// Returns whether the store refuses a request, so that the same request would fail again.
fn is_refused(error: &Error) -> bool {
    matches!(
        error,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } | Error::NotFound { .. }
    )
}

/// Returns whether a request got no answer, so that the store may or may not have carried it out.
fn is_cut_off(error: &Error) -> bool {
    let first: &(dyn std::error::Error + 'static) = error;
    let mut causes = std::iter::successors(Some(first), |cause| cause.source());
    causes.any(|cause| cause.downcast_ref::<HttpError>().is_some())
}

/// Returns an error in one line.
fn told(error: &Error) -> String {
    let mut text = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = text.char_indices().nth(TOLD) {
        text.truncate(at);
        text.push('…');
    }
    text
}

#[expect(clippy::disallowed_methods, reason = "results belong to no run")]
fn open(path: &Path) -> Result<File, FolderError> {
    File::open(path).map_err(FolderError::at(path))
}

#[expect(clippy::disallowed_methods, reason = "results belong to no run")]
fn create(path: &Path) -> Result<File, FolderError> {
    let created: io::Result<File> = File::create(path);
    created.map_err(FolderError::at(path))
}

#[cfg(test)]
mod tests;
