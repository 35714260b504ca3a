// The time of the run, and how fast it passes.

export class Clock {
  time: number;
  /** run time per second of real time */
  speed = 1;
  playing = false;
  loop = true;

  constructor(
    public start: number,
    public end: number,
  ) {
    this.time = start;
  }

  /** Real time has passed. Returns whether the time of the run has changed. */
  tick(seconds: number): boolean {
    if (!this.playing || this.end <= this.start) return false;
    this.time += this.speed * seconds;
    if (this.time >= this.end) {
      if (this.loop) this.time = this.start + ((this.time - this.start) % (this.end - this.start));
      else {
        this.time = this.end;
        this.playing = false;
      }
    }
    return true;
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, this.start), this.end);
  }

  toggle(): void {
    if (!this.playing && this.time >= this.end) this.time = this.start;
    this.playing = !this.playing;
  }
}
