import { setTimeout as sleep } from 'node:timers/promises'
import type { Component } from './component.ts'

/** As a kubelet has it for a static pod that ended, after its first time. */
const BACK_OFF_MS = 10_000

/**
 * Starts a component and starts it again whenever it ends: at once the first time, then after a pause. Controller manager
 * and scheduler end by themselves when they cannot renew their Lease, 10 s into an outage of the API server. That is what
 * keeps nodes Ready after one: a controller manager that lived through it takes all of them for silent until its watches
 * are back, which may be a minute later, and every service loses its endpoints meanwhile.
 */
export function keepRunning(start: () => Component): void {
  void keep(start)
}

async function keep(start: () => Component): Promise<never> {
  await start().whenEnded
  for (;;) {
    await start().whenEnded
    await sleep(BACK_OFF_MS)
  }
}
