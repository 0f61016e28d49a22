//! The agent's process: started, watched, restarted and ended.
