// Managed objects as people write them: new and delete of a base class, a list that kernels walk. managed.txt is what nvcc makes of it.
#include <cassert>
#include <cstdio>
#include <cstring>
#define gpuErrchk(ans)                                                                                       \
    {                                                                                                        \
        gpuAssert((ans), __FILE__, __LINE__);                                                                \
    }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        if (abort)
            exit(code);
    }
}
class Managed
{
  public:
    void *operator new(size_t len)
    {
        void *ptr;
        gpuErrchk(cudaMallocManaged(&ptr, len));
        cudaDeviceSynchronize();
        return ptr;
    }
    void operator delete(void *ptr)
    {
        cudaDeviceSynchronize();
        gpuErrchk(cudaFree(ptr));
    }
};
class String : public Managed
{
    int length;
    char *data;

  public:
    String(const char *s) : length(strlen(s))
    {
        gpuErrchk(cudaMallocManaged(&data, length + 1));
        memcpy(data, s, length + 1);
    }
    ~String()
    {
        gpuErrchk(cudaFree(data));
    }
    __host__ __device__ char &operator[](int i)
    {
        return data[i];
    }
    __host__ __device__ int size() const
    {
        return length;
    }
    __host__ __device__ const char *c_str() const
    {
        return data;
    }
};
struct Node : Managed {
    String *name;
    int value;
    Node *next;
};
__global__ void upper(Node *head)
{
    for (Node *n = head; n; n = n->next)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n->name->size();
             i += gridDim.x * blockDim.x) {
            char &c = (*n->name)[i];
            if (c >= 'a' && c <= 'z')
                c -= 'a' - 'A';
        }
}
__global__ void sum(const Node *head, int *out)
{
    int s = 0;
    for (; head; head = head->next)
        s += head->value;
    *out = s;
}
int main()
{
    const char *words[] = { "shared", "global", "constant memory" };
    Node *head = nullptr;
    for (int i = 0; i < 3; i++) {
        Node *n = new Node;
        n->name = new String(words[i]);
        n->value = i + 1;
        n->next = head;
        head = n;
    }
    int *out;
    gpuErrchk(cudaMallocManaged(&out, sizeof(int)));
    int managed = 0;
    gpuErrchk(cudaDeviceGetAttribute(&managed, cudaDevAttrConcurrentManagedAccess, 0));
    upper<<<2, 32>>>(head);
    sum<<<1, 1>>>(head, out);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaDeviceSynchronize());
    for (Node *n = head; n;) {
        printf("%s ", n->name->c_str());
        Node *next = n->next;
        delete n->name;
        delete n;
        n = next;
    }
    printf("%d\n", *out);
    gpuErrchk(cudaFree(out));
    gpuErrchk(cudaDeviceReset());
}
