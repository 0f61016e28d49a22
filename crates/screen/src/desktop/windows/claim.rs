//! One agent per desktop: the process that created the mutex with this name has the desktop, and Windows releases the
//! mutex when the process ends.

use windows_sys::Win32::Foundation::{CloseHandle, ERROR_ALREADY_EXISTS, GetLastError, HANDLE};
use windows_sys::Win32::System::Threading::CreateMutexW;
use windows_sys::core::w;

use crate::desktop::display::DisplayError;

/// Claims the desktop for this process until dropped.
pub(super) struct Claim {
    mutex: HANDLE,
}

#[expect(unsafe_code)]
// SAFETY: A handle may be used and closed by any thread.
unsafe impl Send for Claim {}

impl Claim {
    /// Claims the desktop, unless another agent has it.
    pub(super) fn take() -> Result<Claim, DisplayError> {
        let (mutex, existed) = make();
        if mutex.is_null() {
            let error = std::io::Error::last_os_error();
            return Err(DisplayError::failed("claiming the desktop for this agent", error));
        }
        let claim = Claim { mutex };
        if existed {
            return Err(DisplayError::Refused(
                "another FRANZ is using this desktop; stop it first".to_owned(),
            ));
        }
        Ok(claim)
    }
}

#[expect(unsafe_code)]
fn make() -> (HANDLE, bool) {
    // SAFETY: The name is a constant that ends with a zero; no attributes are passed.
    unsafe {
        let mutex = CreateMutexW(std::ptr::null(), 0, w!("Local\\FRANZ agent"));
        (mutex, GetLastError() == ERROR_ALREADY_EXISTS)
    }
}

impl Drop for Claim {
    #[expect(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: This value owns the handle.
        unsafe {
            CloseHandle(self.mutex);
        }
    }
}
