// The system calls that a confinement leaves, as a program of classic BPF for seccomp. It looks at a call's number and,
// for a few, at its arguments; a call that it refuses fails with an error, which programs and libraries can live with.
#include "engine/base/confine.h"

#include "engine/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { ARCHITECTURE = AUDIT_ARCH_X86_64, FOREIGN = 0x40000000 }; // the bit of x32's calls
#elif defined(__aarch64__)
enum { ARCHITECTURE = AUDIT_ARCH_AARCH64, FOREIGN = 0 };
#else
#define NO_FILTER
#endif

// A list of system calls is made of those that the headers know; numbers that are the same on every architecture stand
// as numbers where the headers may be too old.
enum {
    IO_URING_SETUP = 425,
    IO_URING_ENTER = 426,
    IO_URING_REGISTER = 427,
    PIDFD_SEND_SIGNAL = 424,
    PIDFD_OPEN = 434,
    CLONE3 = 435,
    OPENAT2 = 437,
    PIDFD_GETFD = 438,
    MOUNT_SETATTR = 442,
    OPEN_TREE = 428,
    MOVE_MOUNT = 429,
    FSOPEN = 430,
    FSMOUNT = 432,
    FIRST_UNKNOWN = 463,
    FUTEX_WAITV = 449,
    FCHMODAT2 = 452,
    RSEQ = 334,
    RSEQ_ARM = 293,
    MEMBARRIER = 324,
    MEMBARRIER_ARM = 283
};

#ifndef NO_FILTER

struct filter {
    struct sock_filter *code;
    unsigned short length;
};

static void emit(struct filter *b, struct sock_filter one)
{
    if (b->length < FILTER_MOST)
        b->code[b->length++] = one;
}

static void load(struct filter *b, size_t offset)
{
    emit(b, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void give(struct filter *b, uint32_t verdict)
{
    emit(b, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

static uint32_t refuse_with(int error)
{
    return SECCOMP_RET_ERRNO | (uint32_t)error;
}

// The accumulator holds the number of the call, before and after.
static void on_call(struct filter *b, long call, uint32_t verdict)
{
    emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1));
    give(b, verdict);
}

static void on_calls(struct filter *b, const long *calls, size_t count, uint32_t verdict)
{
    for (size_t i = 0; i < count; i++)
        if (calls[i] >= 0)
            on_call(b, calls[i], verdict);
}

// Arguments have 64 bits, of which BPF compares 32 at a time; both architectures are little-endian.
static size_t low_half(int argument)
{
    return offsetof(struct seccomp_data, args) + 8 * (size_t)argument;
}

// Begins a rule of `length` instructions for one call: they are skipped for others. They must end in a verdict.
static void begin_rule(struct filter *b, long call, uint8_t length)
{
    emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, length));
}

// One verdict where a test of the argument's low half holds, another where it does not. BPF_JSET: any of the bits is set;
// BPF_JEQ: it has this value.
static void on_test(struct filter *b, long call, int argument, uint16_t test, uint32_t value, uint32_t holds,
                    uint32_t otherwise)
{
    begin_rule(b, call, 4);
    load(b, low_half(argument));
    emit(b, (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | test | BPF_K), value, 0, 1));
    give(b, holds);
    give(b, otherwise);
}

// Refuses these values of the argument's low half, and leaves others to the rules that follow.
static void refuse_values(struct filter *b, long call, int argument, const uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        begin_rule(b, call, 4);
        load(b, low_half(argument));
        emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, values[i], 0, 1));
        give(b, refuse_with(EPERM));
        load(b, offsetof(struct seccomp_data, nr));
    }
}

static void on_pointer(struct filter *b, long call, int argument, uint64_t value, uint32_t same,
                       uint32_t other)
{
    begin_rule(b, call, 6);
    load(b, low_half(argument));
    emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)value, 0, 3));
    load(b, low_half(argument) + 4);
    emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value >> 32), 0, 1));
    give(b, same);
    give(b, other);
}

// A call of another architecture, whose numbers mean other things, ends the process.
static void check_architecture(struct filter *b)
{
    load(b, offsetof(struct seccomp_data, arch));
    emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    give(b, SECCOMP_RET_KILL);
    load(b, offsetof(struct seccomp_data, nr));
    if (FOREIGN != 0) {
        emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN, 0, 1));
        give(b, refuse_with(ENOSYS));
    }
    // System calls that a later Linux adds are refused as unknown.
    emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_UNKNOWN, 0, 1));
    give(b, refuse_with(ENOSYS));
}

// ---- other processes and programs ---------------------------------------------------------------------------

// Threads may be made, processes may not. The flags of clone3 are in memory, which no filter can read; so clone3 fails
// as unknown, and libraries fall back to clone.
static void no_processes(struct filter *b, uint64_t program)
{
#ifdef SYS_fork
    on_call(b, SYS_fork, refuse_with(EPERM));
    on_call(b, SYS_vfork, refuse_with(EPERM));
#endif
    on_call(b, CLONE3, refuse_with(ENOSYS));
    on_test(b, SYS_clone, 0, BPF_JSET, CLONE_THREAD, SECCOMP_RET_ALLOW, refuse_with(EPERM));
    if (program)
        on_pointer(b, SYS_execve, 0, program, SECCOMP_RET_ALLOW, refuse_with(EPERM));
    else
        on_call(b, SYS_execve, refuse_with(EPERM));
    on_call(b, SYS_execveat, refuse_with(EPERM));
}

// System calls that reach into other processes, the network or the kernel itself. Nothing here needs any of them.
static const long reaching_out[] = {
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_recvfrom,
    SYS_recvmsg,
    SYS_recvmmsg,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    PIDFD_SEND_SIGNAL,
    PIDFD_OPEN,
    PIDFD_GETFD,
    SYS_kcmp,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    MOUNT_SETATTR,
    OPEN_TREE,
    MOVE_MOUNT,
    FSOPEN,
    FSMOUNT,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_userfaultfd,
    IO_URING_SETUP,
    IO_URING_ENTER,
    IO_URING_REGISTER,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_fanotify_init,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_setpgid,
    SYS_setsid,
    SYS_setpriority,
    SYS_sched_setscheduler,
    SYS_sched_setattr,
    SYS_vhangup,
    SYS_syslog,
    SYS_mknodat,
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_semctl,
    SYS_semop,
    SYS_msgctl,
    SYS_personality,
    SYS_ioprio_set,
    SYS_sched_setparam,
    SYS_msgget,
    SYS_semget,
    SYS_mq_open,
};

static void no_reaching_out(struct filter *b)
{
    on_calls(b, reaching_out, sizeof reaching_out / sizeof *reaching_out, refuse_with(EPERM));
    on_test(b, SYS_ioctl, 1, BPF_JEQ, TIOCSTI, refuse_with(EPERM),
            SECCOMP_RET_ALLOW); // typing into the terminal
}

// A script's shell may signal what it has started. Of the others this program alone (`own`) may send signals, to itself,
// as abort() does.
static void no_signals(struct filter *b, bool own)
{
    // By these a descriptor that becomes ready sends its owner a signal.
    static const uint32_t owners[] = { F_SETOWN, F_SETSIG, F_SETOWN_EX };
    refuse_values(b, SYS_fcntl, 1, owners, sizeof owners / sizeof *owners);
    on_test(b, SYS_prlimit64, 0, BPF_JEQ, 0, SECCOMP_RET_ALLOW, refuse_with(EPERM));
    static const long calls[] = { SYS_kill, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo };
    on_calls(b, calls, sizeof calls / sizeof *calls, refuse_with(EPERM));
    on_test(b, SYS_tgkill, 0, BPF_JEQ, own ? (uint32_t)getpid() : 0, SECCOMP_RET_ALLOW, refuse_with(EPERM));
}

// ---- the kinds ----------------------------------------------------------------------------------------------

// Landlock knows nothing of a file's mode, owner and times. Where there is none, this keeps files from being changed
// at all; which of them are read no filter can tell.
static void no_changes(struct filter *b, enum confine_calls calls, bool landlock)
{
    static const long attributes[] = {
        SYS_fchmodat,  SYS_fchmod,    SYS_fchownat,    SYS_fchown,       SYS_utimensat,    SYS_setxattr,
        SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, FCHMODAT2,
#ifdef SYS_chmod
        SYS_chmod,     SYS_chown,     SYS_lchown,      SYS_utimes,       SYS_futimesat,    SYS_utime,
#endif
    };
    static const long entries[] = {
        SYS_unlinkat, SYS_mkdirat, SYS_renameat2, SYS_linkat, SYS_symlinkat, SYS_truncate,
#ifdef SYS_renameat
        SYS_renameat,
#endif
#ifdef SYS_unlink
        SYS_unlink,   SYS_mkdir,   SYS_rmdir,     SYS_rename, SYS_link,      SYS_symlink,
        SYS_creat,    SYS_mknod,
#endif
    };
    const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    on_calls(b, attributes, sizeof attributes / sizeof *attributes, refuse_with(EACCES));
    if (landlock || calls == CALLS_DRIVER)
        return;
    on_calls(b, entries, sizeof entries / sizeof *entries, refuse_with(EACCES));
    on_call(b, OPENAT2, refuse_with(ENOSYS));
    on_test(b, SYS_openat, 2, BPF_JSET, writing, refuse_with(EACCES), SECCOMP_RET_ALLOW);
#ifdef SYS_open
    on_test(b, SYS_open, 1, BPF_JSET, writing, refuse_with(EACCES), SECCOMP_RET_ALLOW);
#endif
}

// Memory, threads, clocks, and the descriptors that are open. Nothing can be opened and no code can be added.
static void only_compute(struct filter *b)
{
    static const long calls[] = {
        SYS_read,
        SYS_write,
        SYS_readv,
        SYS_writev,
        SYS_pread64,
        SYS_pwrite64,
        SYS_lseek,
        SYS_close,
        SYS_fstat,
        SYS_ftruncate,
        SYS_ppoll,
        SYS_munmap,
        SYS_mremap,
        SYS_madvise,
        SYS_brk,
        SYS_futex,
        FUTEX_WAITV,
        SYS_set_robust_list,
        SYS_sched_getaffinity,
        SYS_sched_setaffinity,
        SYS_sched_yield,
        SYS_exit,
        SYS_exit_group,
        SYS_rt_sigaction,
        SYS_rt_sigprocmask,
        SYS_rt_sigreturn,
        SYS_sigaltstack,
        SYS_restart_syscall,
        SYS_clock_gettime,
        SYS_clock_getres,
        SYS_clock_nanosleep,
        SYS_nanosleep,
        SYS_gettimeofday,
        SYS_getpid,
        SYS_gettid,
        SYS_getrandom,
        SYS_getrusage,
        SYS_sysinfo,
        SYS_uname,
        SYS_getcpu,
#ifdef __x86_64__
        SYS_poll,
        SYS_time,
        SYS_arch_prctl,
        RSEQ,
        MEMBARRIER,
#else
        RSEQ_ARM,
        MEMBARRIER_ARM,
#endif
    };
    on_calls(b, calls, sizeof calls / sizeof *calls, SECCOMP_RET_ALLOW);
    on_call(b, CLONE3, refuse_with(ENOSYS));
    on_test(b, SYS_clone, 0, BPF_JSET, CLONE_THREAD, SECCOMP_RET_ALLOW, refuse_with(EPERM));
    on_test(b, SYS_mmap, 2, BPF_JSET, PROT_EXEC, refuse_with(EPERM), SECCOMP_RET_ALLOW);
    on_test(b, SYS_mprotect, 2, BPF_JSET, PROT_EXEC, refuse_with(EPERM), SECCOMP_RET_ALLOW);
    on_test(b, SYS_newfstatat, 3, BPF_JSET, AT_EMPTY_PATH, SECCOMP_RET_ALLOW, refuse_with(EACCES));
    on_test(b, SYS_prlimit64, 0, BPF_JEQ, 0, SECCOMP_RET_ALLOW, refuse_with(EPERM));
    on_test(b, SYS_tgkill, 0, BPF_JEQ, (uint32_t)getpid(), SECCOMP_RET_ALLOW,
            refuse_with(EPERM)); // as abort() does
    give(b, refuse_with(EPERM));
}

unsigned short confine_filter(enum confine_calls calls, bool landlock, uint64_t program,
                              struct sock_filter *out)
{
    struct filter b = { out, 0 };
    check_architecture(&b);
    if (calls == CALLS_COMPUTE) {
        only_compute(&b);
        return b.length;
    }
    no_reaching_out(&b);
    if (calls != CALLS_SCRIPT) {
        no_processes(&b, program);
        no_signals(&b, calls == CALLS_DRIVER);
    }
    no_changes(&b, calls, landlock);
    give(&b, SECCOMP_RET_ALLOW);
    return b.length;
}

#else

unsigned short confine_filter(enum confine_calls calls, bool landlock, uint64_t program,
                              struct sock_filter *out)
{
    return 0;
}

#endif
