import type { LeaderView } from '../../runtime/leader.ts'
import type { BrakeView } from '../brake/brake.ts'

/** What there is to tell of a controller's process, as of now. */
export interface ControllerView {
  readonly identity: string
  readonly leader: LeaderView
  readonly brake: BrakeView
}
