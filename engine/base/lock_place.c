// The folder of the locks, and whether all that measure on this machine can see the same one. A job of a cluster or a
// container often has a /tmp of its own; its runs would take turns with nobody.
#include "engine/base/lock.h"

#include "engine/base/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *lock_folder(void)
{
    const char *chosen = site_value(SITE_LOCKS);
    return chosen && *chosen ? chosen : "/tmp";
}

// What is mounted where a folder is: a line of /proc/PID/mountinfo.
struct mount {
    char root[512];  // the folder of the file system that is seen there
    char point[512]; // where
    char device[32], type[64];
};

static bool mount_read(const char *line, struct mount *out)
{
    const char *rest = strstr(line, " - ");
    return sscanf(line, "%*s %*s %31s %511s %511s", out->device, out->root, out->point) == 3 && rest &&
           sscanf(rest + 3, "%63s", out->type) == 1;
}

static bool is_below(const char *path, const char *folder)
{
    size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

// The mount that holds `path`, as the process sees it; of several in one place the last covers the others.
static bool mount_find(const char *proc, const char *process, const char *path, struct mount *out)
{
    char *name = text_format("%s/%s/mountinfo", proc, process), line[2048];
    FILE *file = fopen(name, "re");
    struct mount mount;
    bool found = false;
    while (file && fgets(line, sizeof line, file))
        if (mount_read(line, &mount) && is_below(path, mount.point) &&
            (!found || strlen(mount.point) >= strlen(out->point))) {
            *out = mount;
            found = true;
        }
    if (file)
        fclose(file);
    free(name);
    return found;
}

// The first processes of a machine share one namespace, whose number Linux never changes.
static bool in_container(const char *proc)
{
    char *name = text_format("%s/self/ns/pid", proc), space[64] = "";
    ssize_t length = readlink(name, space, sizeof space - 1);
    free(name);
    return length > 0 && strcmp(space, "pid:[4026531836]") != 0;
}

// Where init's own view may be read, that decides. Else a /tmp that is another folder of its file system was put there
// for a job, as Slurm's job_container and systemd's PrivateTmp do; a btrfs shows subvolumes in the same way, and
// a container that has the host's folder shows it under its own name. A container's other folders are its own.
static bool is_private(const char *proc, const char *path, const struct mount *ours)
{
    struct mount all;
    bool contained = in_container(proc);
    if (!contained && mount_find(proc, "1", path, &all))
        return strcmp(all.device, ours->device) != 0 || strcmp(all.root, ours->root) != 0;
    bool whole = strcmp(ours->root, "/") == 0;
    if (!whole && strcmp(ours->type, "btrfs") != 0)
        return strcmp(ours->root, ours->point) != 0;
    return contained && whole && (strcmp(ours->type, "overlay") == 0 || strcmp(ours->type, "tmpfs") == 0);
}

struct lock_place lock_place(const char *proc)
{
    static const char *const distant[] = { "nfs", "cifs", "smb", "fuse.sshfs", "9p" };
    struct lock_place place = { .folder = lock_folder() };
    struct mount mount;
    char *real = realpath(place.folder, NULL);
    place.usable = real && access(real, W_OK | X_OK) == 0;
    if (real && mount_find(proc, "self", real, &mount)) {
        const char *chosen = site_value(SITE_LOCKS); // who chose it knows who sees it
        place.own = !(chosen && *chosen) && is_private(proc, real, &mount);
        for (size_t i = 0; i < sizeof distant / sizeof *distant; i++)
            place.distant = place.distant || string_starts(mount.type, distant[i]);
    }
    free(real);
    return place;
}
