// One episode, with a fixed seed and without a time limit of its own. The server appends this to MiniWoB++'s core.js, so
// it runs before any page's own script.
(() => {
  const settings = SETTINGS;
  const showCover = core.startEpisode;
  // Pages draw random numbers as soon as they are loaded, too.
  Math.seedrandom(settings.seed);

  const style = document.createElement('style');
  // Time and reward are not part of the task, and a ticking clock would keep the screen from coming to rest.
  style.textContent = '#reward-display, #click-canvas { display: none }';
  document.head.appendChild(style);

  let begun = false;
  let ended = false;
  core.startEpisode = () => {
    showCover();
    if (begun) {
      end();
      return;
    }
    begun = true;
    core.cover_div.textContent = '';
    begin();
  };

  function begin() {
    if (!WOB_TASK_READY) {
      setTimeout(begin, 50);
      return;
    }
    // The longest time that a timer can wait is almost 25 days.
    core.EPISODE_MAX_TIME = settings.limit === null ? 0x7fffffff : settings.limit * 1000;
    core.countdownTimer = () => {};
    Math.seedrandom(settings.seed);
    core.startEpisodeReal();
  }

  function end() {
    if (ended) return;
    ended = true;
    // The reward without the part that depends on how long the episode took.
    const reward = { reward: WOB_RAW_REWARD_GLOBAL, reason: WOB_REWARD_REASON };
    core.cover_div.onclick = null;
    core.cover_div.style.cursor = 'default';
    core.cover_div.textContent = 'Done';
    fetch('/reward', { method: 'POST', body: JSON.stringify(reward), keepalive: true });
  }
})();
