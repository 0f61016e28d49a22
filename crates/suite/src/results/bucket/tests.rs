use std::collections::VecDeque;
use std::fmt;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use object_store::client::HttpErrorKind;
use object_store::memory::InMemory;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, PutMultipartOptions, PutResult, UploadPart,
};

use super::super::tests::Bench;
use super::super::{KEPT_FILE, MOST_RESULT_BYTES, ResultStore};
use super::*;

/// A store, and what opens it as another process would.
struct Cloud(Arc<InMemory>);

impl Cloud {
    fn new() -> Cloud {
        Cloud(Arc::new(InMemory::new()))
    }

    fn place(&self) -> Arc<ResultBucket> {
        let store: Arc<dyn ObjectStore> = Arc::<InMemory>::clone(&self.0);
        Arc::new(ResultBucket::of(store, "s3://b/plans/one").unwrap())
    }

    fn create(&self, bench: &Bench, repeat: u32) -> ResultStore {
        ResultStore::create_at(self.place(), &bench.plan(repeat), &bench.path("suite"), &[]).unwrap()
    }

    fn open(&self) -> ResultStore {
        ResultStore::open_at(self.place()).unwrap().0
    }
}

#[test]
fn the_first_result_wins_and_later_ones_are_kept() {
    let (bench, cloud) = (Bench::new(), Cloud::new());
    let store = cloud.create(&bench, 2);
    assert_eq!(bench.publish(&store, 1, "bb"), Publication::First);
    assert_eq!(bench.publish(&cloud.open(), 1, "aa"), Publication::Duplicate);
    assert_eq!(store.result(1).unwrap().unwrap().r#try, "bb");
    assert_eq!(store.mend().unwrap(), 0);
    let place = cloud.place();
    assert!(place.has("attempt_0001/try_aa/duplicate").unwrap());
    assert!(!place.has("attempt_0001/try_bb/duplicate").unwrap());
    assert_eq!(place.read("attempt_0001/try_aa/log", 9).unwrap().unwrap(), b"said");
    store
        .publish_failure(2, "cc", "no server", &bench.path("prepared"))
        .unwrap();
    let (_, plan) = ResultStore::open_at(cloud.place()).unwrap();
    assert_eq!(store.missing(&plan).unwrap(), [2]);
    assert_eq!(
        store.fruitless(&(1..100).collect()).unwrap(),
        store.fruitless(&[1, 2].into()).unwrap()
    );
    assert_eq!(store.why_failed(2, "cc").unwrap(), "no server");
    assert_eq!(store.write_results("x").unwrap().results.len(), 1);
    assert!(store.player(1, "bb").is_none() && store.folder().is_none());
}

/// A process can be killed between any two of these steps.
#[test]
fn what_was_cut_off_is_completed_and_half_a_try_is_nothing() {
    let (bench, cloud) = (Bench::new(), Cloud::new());
    let store = cloud.create(&bench, 1);
    bench.publish(&store, 1, "aa");
    let place = cloud.place();
    let delete = |path: &str| place.wait(path, place.store.delete(&place.key(path))).unwrap();
    delete("attempt_0001/result.json");
    place.put("attempt_0001/try_bb/kept.zip", b"half", "").unwrap();
    assert_eq!(store.mend().unwrap(), 1);
    assert_eq!(store.result(1).unwrap().unwrap().r#try, "aa");
    assert_eq!(bench.publish(&store, 1, "bb"), Publication::Duplicate);
    delete("attempt_0001/try_bb/duplicate");
    assert_eq!(store.mend().unwrap(), 0);
    assert!(place.has("attempt_0001/try_bb/duplicate").unwrap());
}

/// The store writes the object, and its answer is lost: the client asks again, and is told that the object exists.
#[test]
fn an_answer_that_was_lost_makes_no_duplicate() {
    let (bench, cloud) = (Bench::new(), Cloud::new());
    let store = cloud.create(&bench, 1);
    bench.publish(&store, 1, "aa");
    let one = cloud.place().tries(None).unwrap().remove(0);
    assert_eq!(cloud.place().commit(&one).unwrap(), Publication::First);
    assert!(!cloud.place().has("attempt_0001/try_aa/duplicate").unwrap());
}

#[test]
fn of_many_at_once_exactly_one_wins() {
    let (bench, cloud) = (Bench::new(), Cloud::new());
    let store = cloud.create(&bench, 1);
    let start = Barrier::new(8);
    let wins: Vec<Publication> = std::thread::scope(|scope| {
        let publish = |number: u32| {
            let (bench, store, start) = (&bench, &store, &start);
            scope.spawn(move || {
                start.wait();
                bench.publish(store, 1, &format!("{number:02}"))
            })
        };
        let threads: Vec<_> = (0..8).map(publish).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let first = wins.iter().filter(|win| **win == Publication::First).count();
    assert_eq!(first, 1, "{wins:?}");
    let duplicates = cloud.place().tries(None).unwrap();
    assert_eq!(duplicates.iter().filter(|one| one.is_duplicate).count(), 7);
}

#[test]
fn tries_are_taken_from_a_store_to_a_folder_and_back() {
    let (bench, cloud) = (Bench::new(), Cloud::new());
    let store = cloud.create(&bench, 2);
    bench.publish(&store, 1, "bb");
    bench.publish(&store, 1, "aa");
    let folder = bench.store("r", 2).unwrap();
    let scratch = bench.path("scratch");
    assert_eq!(folder.take_from(&store, "x", &scratch).unwrap().new, 2);
    assert_eq!(folder.take_from(&store, "x", &scratch).unwrap().new, 0);
    assert_eq!(folder.results().unwrap().len(), 1);
    assert_eq!(folder.result(1).unwrap().unwrap().r#try, "bb");
    bench.publish(&folder, 2, "cc");
    assert_eq!(store.take_from(&folder, "x", &scratch).unwrap().new, 1);
    assert_eq!(store.results().unwrap().len(), 2);
    let other = Cloud::new();
    let empty = other.create(&bench, 2);
    assert_eq!(empty.take_from(&folder, "x", &scratch).unwrap().new, 3);
    assert_eq!(empty.result(1).unwrap().unwrap().r#try, "bb");
    assert!(!other.place().has("attempt_0001/try_bb/duplicate").unwrap());
    assert_eq!(fs::read_dir(scratch).unwrap().count(), 0);
}

#[test]
fn a_large_archive_and_the_suite_come_back_byte_for_byte() {
    let (bench, cloud) = (Bench::new(), Cloud::new());
    let check = bench.path("suite/check.sh");
    #[cfg(unix)]
    fs::set_permissions(&check, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    assert!(check.exists());
    let store = cloud.create(&bench, 1);
    let from = bench.path("from");
    fs::create_dir_all(from.join("home")).unwrap();
    // It is a picture by its name, so it is not compressed, and is sent in three parts.
    let bytes: Vec<u8> = (0..=2 * PART).map(|at| (at % 251) as u8).collect();
    fs::write(from.join("home/a.png"), &bytes).unwrap();
    archive::pack(&from, &bench.path("prepared").join(KEPT_FILE)).unwrap();
    bench.publish(&store, 1, "aa");
    let to = bench.path("to");
    assert!(cloud.open().unpack(1, "aa", &to).unwrap());
    assert!(fs::read(to.join("home/a.png")).unwrap() == bytes);
    store.fetch_suite(&bench.path("copy")).unwrap();
    let digest = |name: &str| folder::digest(&bench.path(name), &[]).unwrap();
    assert_eq!(digest("copy"), digest("suite"));
}

#[test]
fn another_plan_is_refused_and_addresses_need_a_prefix() {
    let (bench, cloud) = (Bench::new(), Cloud::new());
    cloud.create(&bench, 1);
    cloud.create(&bench, 1);
    let other = ResultStore::create_at(cloud.place(), &bench.plan(2), &bench.path("suite"), &[]);
    let error = other.unwrap_err().to_string();
    assert!(error.contains("s3://b/plans/one already holds another plan"), "{error}");
    let none: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    let empty = Arc::new(ResultBucket::of(none, "s3://b/none/").unwrap());
    let error = ResultStore::open_at(empty).unwrap_err().to_string();
    assert!(error.contains("franz suite plan SUITE -o s3://b/none"), "{error}");
    for address in ["s3://", "s3://b", "s3://b/", "s3:///p", "s3://b/a//c"] {
        assert!(parts(address).is_err(), "{address}");
    }
    let (bucket, prefix) = parts("s3://b/a/c/").unwrap();
    assert_eq!((bucket, prefix.as_ref()), ("b", "a/c"));
}

#[test]
fn a_damaged_result_does_not_keep_the_others_from_being_read() {
    let (bench, cloud) = (Bench::new(), Cloud::new());
    let store = cloud.create(&bench, 2);
    for attempt in [1, 2] {
        bench.publish(&store, attempt, "aa");
    }
    let (place, long) = (cloud.place(), vec![b' '; MOST_RESULT_BYTES as usize + 1]);
    place.put("attempt_0001/result.json", &long, "").unwrap();
    let collected = store.collect(|_| true).unwrap();
    assert_eq!((collected.results.len(), collected.damaged.len()), (1, 1));
    assert_eq!(collected.damaged[0].problem, "it is longer than 1048576 bytes");
    assert_eq!(store.mend().unwrap(), 0);
    // Another process may remove a result after it was listed.
    let paths = ["attempt_0009/result.json", "attempt_0002/result.json"].map(str::to_owned);
    let read = place.read_all(&paths, MOST_RESULT_BYTES).unwrap();
    let gone = read[0].as_ref().unwrap_err().to_string();
    assert!(gone.ends_with("it has gone") && read[1].is_ok(), "{gone}");
}

/// When the connection to a store breaks.
#[derive(Debug, PartialEq, Eq)]
enum Cut {
    BeforeItsWork,
    BeforeItsAnswer,
}

/// A store that is cut off at some conditional writes, and at all parts of an upload.
#[derive(Debug, Default)]
struct Unsteady {
    inner: InMemory,
    cuts: Mutex<VecDeque<Cut>>,
    aborted: Arc<AtomicUsize>,
}

fn cut_off() -> Error {
    let broken = io::Error::from(io::ErrorKind::ConnectionReset);
    Error::Generic {
        store: "S3",
        source: Box::new(HttpError::new(HttpErrorKind::Interrupted, broken)),
    }
}

impl fmt::Display for Unsteady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unsteady")
    }
}

type Answer<'a, T> = BoxFuture<'a, Result<T, Error>>;

impl ObjectStore for Unsteady {
    fn put_opts<'a, 'b, 'c>(&'a self, key: &'b Key, bytes: PutPayload, options: PutOptions) -> Answer<'c, PutResult>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        let is_conditional = options.mode == PutMode::Create;
        let cut = is_conditional.then(|| self.cuts.lock().unwrap().pop_front()).flatten();
        Box::pin(async move {
            if cut == Some(Cut::BeforeItsWork) {
                return Err(cut_off());
            }
            let put = self.inner.put_opts(key, bytes, options).await?;
            if cut == Some(Cut::BeforeItsAnswer) {
                return Err(cut_off());
            }
            Ok(put)
        })
    }

    fn put_multipart_opts<'a, 'b, 'c>(
        &'a self,
        _: &'b Key,
        _: PutMultipartOptions,
    ) -> Answer<'c, Box<dyn MultipartUpload>>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        let upload: Box<dyn MultipartUpload> = Box::new(UnsteadyUpload(Arc::clone(&self.aborted)));
        Box::pin(async move { Ok(upload) })
    }

    fn get_opts<'a, 'b, 'c>(&'a self, key: &'b Key, options: GetOptions) -> Answer<'c, GetResult>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        self.inner.get_opts(key, options)
    }

    fn delete_stream(&self, keys: BoxStream<'static, Result<Key, Error>>) -> BoxStream<'static, Result<Key, Error>> {
        self.inner.delete_stream(keys)
    }

    fn list(&self, prefix: Option<&Key>) -> BoxStream<'static, Result<ObjectMeta, Error>> {
        self.inner.list(prefix)
    }

    fn list_with_delimiter<'a, 'b, 'c>(&'a self, prefix: Option<&'b Key>) -> Answer<'c, ListResult>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        self.inner.list_with_delimiter(prefix)
    }

    fn copy_opts<'a, 'b, 'd, 'c>(&'a self, from: &'b Key, to: &'d Key, options: CopyOptions) -> Answer<'c, ()>
    where
        'a: 'c,
        'b: 'c,
        'd: 'c,
        Self: 'c,
    {
        self.inner.copy_opts(from, to, options)
    }
}

/// An upload whose parts never arrive. Counts how often it is aborted.
#[derive(Debug)]
struct UnsteadyUpload(Arc<AtomicUsize>);

impl MultipartUpload for UnsteadyUpload {
    fn put_part(&mut self, _: PutPayload) -> UploadPart {
        Box::pin(async { Err(cut_off()) })
    }

    fn complete<'a, 'c>(&'a mut self) -> Answer<'c, PutResult>
    where
        'a: 'c,
        Self: 'c,
    {
        Box::pin(async { Err(cut_off()) })
    }

    fn abort<'a, 'c>(&'a mut self) -> Answer<'c, ()>
    where
        'a: 'c,
        Self: 'c,
    {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Ok(()) })
    }
}

impl Unsteady {
    fn create(self: &Arc<Unsteady>, bench: &Bench) -> ResultStore {
        let store: Arc<dyn ObjectStore> = Arc::<Unsteady>::clone(self);
        let place = Arc::new(ResultBucket::of(store, "s3://b/plans/one").unwrap());
        ResultStore::create_at(place, &bench.plan(1), &bench.path("suite"), &[]).unwrap()
    }
}

#[test]
fn a_result_whose_write_was_cut_off_is_written_once() {
    let (bench, unsteady) = (Bench::new(), Arc::new(Unsteady::default()));
    let store = unsteady.create(&bench);
    // First the try's own result, then the attempt's.
    let cuts = [Cut::BeforeItsWork, Cut::BeforeItsAnswer, Cut::BeforeItsAnswer];
    unsteady.cuts.lock().unwrap().extend(cuts);
    assert_eq!(bench.publish(&store, 1, "aa"), Publication::First);
    assert!(unsteady.cuts.lock().unwrap().is_empty());
    assert_eq!(store.results().unwrap().len(), 1);
    unsteady.cuts.lock().unwrap().push_back(Cut::BeforeItsWork);
    assert_eq!(bench.publish(&store, 1, "bb"), Publication::Duplicate);
}

#[test]
fn an_upload_that_fails_leaves_no_parts() {
    let (bench, unsteady) = (Bench::new(), Arc::new(Unsteady::default()));
    let store = unsteady.create(&bench);
    for (parts, aborted) in [(2, 1), (PARTS_AT_ONCE + 3, 2)] {
        let kept = File::create(bench.path("prepared").join(KEPT_FILE)).unwrap();
        kept.set_len((parts * PART) as u64).unwrap();
        let result = bench.result(&store, 1, "aa");
        let error = store.publish(&result, &bench.path("prepared")).unwrap_err();
        assert!(error.may_pass(), "{error}");
        assert_eq!(unsteady.aborted.load(Ordering::Relaxed), aborted, "{parts} parts");
    }
}
