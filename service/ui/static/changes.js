// Every change goes to the service at once, one after the other, and is called stored when the service said so.

import { ApiError, freshId, post } from "./api.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
const AGAIN = new Set([0, 408, 429, 500, 502, 503, 504, 507]);

/** The queue of one document. */
export class Changes {
  #queue = [];
  #busy = false;
  #waiters = [];
  #refusals = 0;
  /** Operations of this sitting that can be taken back, newest last. */
  #done = [];

  constructor(job, { stored, refused, told }) {
    this.jobId = job.id;
    this.revision = job.revision;
    this.stored = stored;
    this.refused = refused;
    this.told = told;
  }

  /** Ask for operations that are done together; each gets its id here, so that a repeat is done once. */
  push(operations) {
    const batch = operations.map((operation) => ({ id: freshId(), ...operation }));
    this.#queue.push(batch);
    this.#run();
    return batch;
  }

  get pending() {
    return this.#queue.length;
  }

  /** The newest operation that was not taken back. */
  takeBack() {
    return this.#done.pop() ?? null;
  }

  get canTakeBack() {
    return this.#done.length > 0;
  }

  /** Resolves once everything that was asked for is stored or refused, to whether nothing of it was refused. */
  async settled() {
    const before = this.#refusals;
    if (this.#busy) await new Promise((resolve) => this.#waiters.push(resolve));
    return this.#refusals === before;
  }

  async #run() {
    if (this.#busy) return;
    this.#busy = true;
    let wait = FIRST_WAIT_MS;
    while (this.#queue.length) {
      this.told(wait > FIRST_WAIT_MS ? "waiting" : "storing");
      const batch = this.#queue[0];
      try {
        const headers = { "If-Match": `"${this.revision}"` };
        const answer = await post(`/jobs/${this.jobId}/corrections`, { operations: batch }, { headers });
        this.#queue.shift();
        this.revision = answer.revision;
        this.#remember(batch);
        await this.stored(batch, answer);
        wait = FIRST_WAIT_MS;
      } catch (error) {
        if (error instanceof ApiError && !AGAIN.has(error.status)) {
          this.#queue.shift();
          this.#refusals += 1;
          await this.refused(batch, error);
          continue;
        }
        wait = Math.min(wait * 2, LONGEST_WAIT_MS);
        this.told("waiting");
        await new Promise((wake) => setTimeout(wake, wait));
      }
    }
    this.#busy = false;
    this.told("stored");
    this.#waiters.splice(0).forEach((resolve) => resolve());
  }

  #remember(batch) {
    for (const operation of batch) if (operation.op !== "undo") this.#done.push(operation);
  }
}
