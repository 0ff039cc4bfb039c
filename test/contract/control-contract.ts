import { describe, test } from 'node:test'
import { ATTACHMENT_ROWS } from './control/attachments.ts'
import { ControlGround, type ControlPlane, type ControlRow } from './control/control-plane.ts'
import { RETRY_ROWS } from './control/late-retries.ts'
import { ROLLOUT_ROWS } from './control/rollouts.ts'
import { ROOM_ROWS } from './control/rooms.ts'

const ROWS = [...ROOM_ROWS, ...ATTACHMENT_ROWS, ...RETRY_ROWS, ...ROLLOUT_ROWS]

/** What every control plane must do with nodes whose kubelets are the test. Rows wait for most of their time. */
export function controlContract(open: (row: string) => ControlPlane): void {
  const show = ({ title, run }: ControlRow, at: number): void => {
    test(title, async () => {
      const name = `row${at}`
      const ground = new ControlGround(open(name), name)
      await ground.open()
      await run(ground)
    })
  }
  describe('one row at a time', () => {
    for (const [at, row] of ROWS.entries()) if (row.isAlone === true) show(row, at)
  })
  describe('side by side', { concurrency: true }, () => {
    for (const [at, row] of ROWS.entries()) if (row.isAlone !== true) show(row, at)
  })
}
