//! One agent per desktop: the process that created the mutex with this name has the desktop, and Windows releases the
//! mutex when the process ends.

use windows_sys::Win32::Foundation::{
    CloseHandle, ERROR_ACCESS_DENIED, ERROR_ALREADY_EXISTS, GetLastError, HANDLE, WIN32_ERROR,
};
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
        let (mutex, error) = make();
        let claim = if mutex.is_null() { None } else { Some(Claim { mutex }) };
        judged(claim, error)
    }
}

/// Returns the claim, unless the error of making the mutex says that another agent has it.
fn judged(claim: Option<Claim>, error: WIN32_ERROR) -> Result<Claim, DisplayError> {
    match (claim, error) {
        // Windows denies access to the mutex of an agent that runs as administrator.
        (Some(_), ERROR_ALREADY_EXISTS) | (None, ERROR_ACCESS_DENIED) => Err(DisplayError::Refused(
            "another FRANZ is using this desktop; stop it first".to_owned(),
        )),
        (Some(claim), _) => Ok(claim),
        (None, error) => {
            let error = std::io::Error::from_raw_os_error(error.cast_signed());
            Err(DisplayError::failed("claiming the desktop for this agent", error))
        }
    }
}

/// Makes the mutex, or opens an existing one; also returns the error that Windows reports.
#[expect(unsafe_code)]
fn make() -> (HANDLE, WIN32_ERROR) {
    // SAFETY: The name is a constant that ends with a zero; no attributes are passed.
    unsafe {
        let mutex = CreateMutexW(std::ptr::null(), 0, w!("Local\\FRANZ agent"));
        (mutex, GetLastError())
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

#[cfg(test)]
mod tests {
    use windows_sys::Win32::Foundation::ERROR_INVALID_HANDLE;

    use super::*;

    #[test]
    fn a_mutex_that_may_not_be_opened_belongs_to_another_agent() {
        for (error, is_refused) in [(ERROR_ACCESS_DENIED, true), (ERROR_INVALID_HANDLE, false)] {
            let refused = judged(None, error).err();
            let refused = refused.map(|error| matches!(error, DisplayError::Refused(_)));
            assert_eq!(refused, Some(is_refused), "{error}");
        }
    }
}
