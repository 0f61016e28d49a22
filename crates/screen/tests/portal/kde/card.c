/* A graphics card for KWin where there is none. Like that of the kernel's module vgem, it does nothing but share
 * buffers of ordinary memory. KWin draws with OpenGL only if it finds a card, and shares the screen only if it draws
 * with OpenGL. This library is preloaded into KWin. It presents /dev/null as the card, and answers what Mesa then
 * requests of it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define CARD "/dev/null"
#define MOST_BUFFERS 4096

/* The positions at which the card's buffers are mapped. */
#define STEP (1ull << 32)

/* The kind of requests to a card, their numbers, and what they carry. */
#define CARDS 'd'
enum request {
    VERSION = 0x00,
    CLOSE = 0x09,
    CAPABILITY = 0x0c,
    EXPORT = 0x2d,
    IMPORT = 0x2e,
    CREATE = 0xb2,
    MAP = 0xb3,
    DESTROY = 0xb4,
};
struct text {
    size_t length;
    char *text;
};
struct version {
    int version[3];
    struct text name, date, description;
};
struct capability {
    uint64_t which, value;
};
struct shared {
    uint32_t number, flags;
    int32_t file;
};
struct created {
    uint32_t height, width, bits, flags, number, stride;
    uint64_t size;
};
struct mapped {
    uint32_t number, unused;
    uint64_t position;
};
/* The capabilities: simple buffers, and sharing them. */
#define SIMPLE 1
#define SHARES 5
#define IN_AND_OUT 3

/* A card as libdrm describes it. */
struct bus {
    char name[512];
};
struct card {
    char **nodes;
    int available_nodes;
    int bus_type;
    struct bus *bus;
    void *more;
};

/* The files of the buffers, by their number. */
static int buffers[MOST_BUFFERS];
static size_t references[MOST_BUFFERS];

static char node[] = CARD;
static char none[] = "";
static char *nodes[] = {node, none, none};
static struct bus bus = {"vgem"};
static struct card card = {nodes, 1, 2, &bus, 0};

int drmGetDevices2(unsigned flags, struct card **found, int most) {
    (void)flags;
    if (found && most > 0)
        found[0] = &card;
    return 1;
}

int drmGetDevice2(int file, unsigned flags, struct card **found) {
    (void)file, (void)flags;
    *found = &card;
    return 0;
}

int drmGetDevice(int file, struct card **found) {
    return drmGetDevice2(file, 0, found);
}

void drmFreeDevice(struct card **found) {
    *found = 0;
}

void drmFreeDevices(struct card **found, int count) {
    (void)found, (void)count;
}

static int is_card(int file) {
    struct stat about;
    return !fstat(file, &about) && S_ISCHR(about.st_mode) && about.st_rdev == makedev(1, 3);
}

/* Returns the number of the buffer in a file, or 0. */
static unsigned number_of(int file) {
    struct stat about, other;
    if (fstat(file, &about))
        return 0;
    for (unsigned number = 1; number < MOST_BUFFERS; number++)
        if (buffers[number] && !fstat(buffers[number], &other) && other.st_ino == about.st_ino &&
            other.st_dev == about.st_dev)
            return number;
    return 0;
}

static int fail(int error) {
    errno = error;
    return -1;
}

static int create(struct created *wanted) {
    unsigned number = 1;
    while (number < MOST_BUFFERS && buffers[number])
        number++;
    if (number == MOST_BUFFERS)
        return fail(ENOMEM);
    wanted->stride = (wanted->width * wanted->bits / 8 + 63) / 64 * 64;
    wanted->size = (uint64_t)wanted->stride * wanted->height;
    int file = memfd_create("card", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, wanted->size))
        return -1;
    buffers[number] = file;
    references[number] = 1;
    wanted->number = number;
    return 0;
}

static int release(unsigned number) {
    if (number >= MOST_BUFFERS || !buffers[number])
        return fail(ENOENT);
    if (!--references[number]) {
        close(buffers[number]);
        buffers[number] = 0;
    }
    return 0;
}

static int export(struct shared *shared) {
    if (shared->number >= MOST_BUFFERS || !buffers[shared->number])
        return fail(ENOENT);
    shared->file = fcntl(buffers[shared->number], F_DUPFD_CLOEXEC, 0);
    return shared->file < 0 ? -1 : 0;
}

static int import(struct shared *shared) {
    shared->number = number_of(shared->file);
    if (!shared->number)
        return fail(EINVAL);
    references[shared->number]++;
    return 0;
}

/* Writes a text where the caller has made room for it. */
static void tell(const char *text, struct text *to) {
    size_t length = strlen(text);
    if (to->text)
        memcpy(to->text, text, to->length < length ? to->length : length);
    to->length = length;
}

static int describe(struct version *version) {
    memset(version->version, 0, sizeof version->version);
    version->version[0] = 1;
    tell("vgem", &version->name);
    tell("0", &version->date);
    tell("vgem", &version->description);
    return 0;
}

static int answer(unsigned request, void *body) {
    switch ((enum request)request) {
    case VERSION:
        return describe(body);
    case CAPABILITY: {
        struct capability *asked = body;
        asked->value = asked->which == SIMPLE ? 1 : asked->which == SHARES ? IN_AND_OUT : 0;
        return 0;
    }
    case CREATE:
        return create(body);
    case MAP: {
        struct mapped *wanted = body;
        wanted->position = wanted->number * STEP;
        return 0;
    }
    case DESTROY:
    case CLOSE:
        return release(*(uint32_t *)body);
    case EXPORT:
        return export(body);
    case IMPORT:
        return import(body);
    default:
        return fail(EINVAL);
    }
}

int ioctl(int file, unsigned long request, ...) {
    static int (*real)(int, unsigned long, ...);
    if (!real)
        real = dlsym(RTLD_NEXT, "ioctl");
    va_list arguments;
    va_start(arguments, request);
    void *body = va_arg(arguments, void *);
    va_end(arguments);
    if (_IOC_TYPE(request) == CARDS && is_card(file))
        return answer(_IOC_NR(request), body);
    /* Nothing is to be done before and after somebody reads a buffer of ordinary memory. */
    if (_IOC_TYPE(request) == 'b' && number_of(file))
        return 0;
    return real(file, request, body);
}

void *mmap(void *at, size_t length, int access, int flags, int file, off_t offset) {
    static void *(*real)(void *, size_t, int, int, int, off_t);
    if (!real)
        real = dlsym(RTLD_NEXT, "mmap");
    unsigned long long number = (unsigned long long)offset / STEP;
    if (file >= 0 && number && number < MOST_BUFFERS && is_card(file))
        return real(at, length, access, flags, buffers[number], 0);
    return real(at, length, access, flags, file, offset);
}

void *mmap64(void *at, size_t length, int access, int flags, int file, off_t offset) {
    return mmap(at, length, access, flags, file, offset);
}
