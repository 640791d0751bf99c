// One kernel on the GPU that is here, and the digests of its buffers afterwards: what tests/truth.sh measures a folder of
// kernels by. It is also what Nsight Compute looks into, so that nothing else is launched.
//
//     build/truth                             the GPU's name and driver
//     build/truth KERNEL.cu CODE [FOLDER]     two lines of CSV: the buffers' names, and their digests
//
// CODE is machine code or PTX of that kernel. FOLDER gets the bytes of each buffer, as KERNEL.BUFFER.
#include <unistd.h>

#include "engine/gpu/gpu.h"
#include "tests/truth/truth.h"

static bool on_gpu(struct gpu *gpu, const struct variant *variant, const struct text *code,
                   struct truth_buffers *buffers, struct error *error)
{
    const bool machine = code->length > 4 && memcmp(code->data, "\177ELF", 4) == 0;
    struct gpu_module *module;
    if (!gpu_module_load(gpu, machine ? code->data : NULL, machine ? NULL : code->data, &module, error))
        return false;
    bool done = true;
    for (size_t i = 0; i < buffers->count && done; i++) {
        struct truth_buffer *buffer = &buffers->all[i];
        gpu_address at = 0;
        done = gpu_alloc(gpu, buffer->bytes, &at, error) &&
               gpu_upload(gpu, at, buffer->initial, buffer->bytes, NULL, error);
        buffer->address = at;
    }
    for (size_t i = 0; i < variant->launch_count && done; i++) {
        enum { LIMIT_MS = 10000 };
        const struct launch *from = &variant->launches[i];
        struct truth_arguments arguments;
        void *values[TRUTH_ARGUMENTS];
        struct gpu_launch launch = { .name = from->kernel,
                                     .arguments = values,
                                     .cooperative = from->cooperative };
        double ms;
        done = truth_arguments(from, buffers, &arguments, error) &&
               gpu_function_find(gpu, module, from->kernel, &launch.function, error) &&
               truth_dims(&from->grid, launch.grid, error) && truth_dims(&from->block, launch.block, error) &&
               (!from->cluster.part[0] || truth_dims(&from->cluster, launch.cluster, error));
        for (size_t k = 0; k < arguments.count && done; k++)
            values[k] = arguments.all[k].value;
        done = done && gpu_time(gpu, &launch, 1, false, LIMIT_MS, &ms, error);
    }
    return done;
}

static void keep(void *context, const void *bytes, size_t offset, size_t length)
{
    memcpy((unsigned char *)context + offset, bytes, length);
}

static bool tell(struct gpu *gpu, const char *name, struct truth_buffers *buffers, const char *folder,
                 struct error *error)
{
    printf("kernel");
    for (size_t i = 0; i < buffers->count; i++)
        printf(",%s", buffers->all[i].name);
    printf("\n%s", name);
    for (size_t i = 0; i < buffers->count; i++) {
        struct truth_buffer *buffer = &buffers->all[i];
        char path[1024];
        if (!gpu_download_each(gpu, buffer->address, buffer->bytes, keep, buffer->now, NULL, error))
            return false;
        printf(",%016llx", (unsigned long long)truth_digest(buffer->now, buffer->bytes));
        snprintf(path, sizeof path, "%s/%s.%s", folder ? folder : "", name, buffer->name);
        if (folder && !file_replace(path, buffer->now, buffer->bytes, error))
            return false;
    }
    printf("\n");
    return true;
}

static bool measure(struct gpu *gpu, const char *kernel, const char *code_path, const char *folder,
                    struct error *error)
{
    struct variant variant;
    struct truth_buffers buffers = { 0 };
    struct text code = { 0 };
    if (!variant_read(&variant, kernel, error))
        return false;
    bool done = file_read(code_path, &code, error);
    if (done && variant.buffer_count > TRUTH_BUFFERS)
        done = error_set(error, EXIT_USAGE, "%s has more than %d buffers.", kernel, TRUTH_BUFFERS);
    for (size_t i = 0; i < variant.buffer_count && done; i++, buffers.count++)
        done = truth_buffer_make(&buffers.all[i], &variant.buffers[i], error);
    done = done && on_gpu(gpu, &variant, &code, &buffers, error) &&
           tell(gpu, variant.name, &buffers, folder, error);
    truth_buffers_free(&buffers);
    text_free(&code);
    variant_free(&variant);
    return done;
}

int main(int argc, char **argv)
{
    struct error error = { 0 };
    struct driver *driver = NULL;
    struct gpu *gpu = NULL;
    if (argc != 1 && argc != 3 && argc != 4) {
        fprintf(stderr, "usage: %s [KERNEL.cu CODE [FOLDER]]\n", argv[0]);
        return EXIT_USAGE;
    }
    bool done = driver_open(&driver, &error) && gpu_open(driver, GPU_ANY, &gpu, &error);
    if (done && argc == 1)
        printf("%s\n", gpu_facts(gpu)->name);
    else if (done)
        done = measure(gpu, argv[1], argv[2], argc == 4 ? argv[3] : NULL, &error);
    if (!done)
        fprintf(stderr, "%s\n", error.text);
    fflush(stdout);
    // After a kernel that crashed or hangs, the driver's own way out may wait for ever.
    _exit(done ? EXIT_RIGHT : (int)error.code);
}
