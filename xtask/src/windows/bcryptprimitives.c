/* The only function of this library that Rust programs call, based on one that every version of Wine has. */

#include <windows.h>
#include <bcrypt.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
    while (size > 0) {
        ULONG part = size > MAXLONG ? MAXLONG : (ULONG)size;
        if (BCryptGenRandom(NULL, data, part, BCRYPT_USE_SYSTEM_PREFERRED_RNG) != 0)
            return FALSE;
        data += part;
        size -= part;
    }
    return TRUE;
}
