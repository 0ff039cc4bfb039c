import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import type { Node } from '../../../ground/model/node.ts'
import {
  bootOfMessage,
  REBOOT_CONDITION,
  REBOOT_CONDITION_EVERY_MS,
  textOfMessage,
} from '../../../ground/model/reboot-condition.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { NeedWay } from './need-way.ts'

/** Two times of writing may be missed, and the clocks of the machine and of this one may differ by as much as is left. */
const STALE_MS = 3 * REBOOT_CONDITION_EVERY_MS

const START = 'start evenkeel-rebooter on the node (docs/reboot-required.md)'
const RUNS = `see whether the pod of evenkeel-rebooter runs on the node`

/** By its condition. One that is missing, Unknown, old or of an earlier boot says nothing. */
export function conditionWay({ rebootRequired: found, bootId }: Node, wall: WallMs | undefined): NeedWay {
  if (found === undefined) return unknown(`the Node has no condition ${REBOOT_CONDITION}`, START)
  const said = `${escapeForeign(found.reason, 100)}: ${escapeForeign(textOfMessage(found.message), 500)}`
  if (bootOfMessage(found.message) !== bootId) {
    return unknown(`its condition ${REBOOT_CONDITION} is not about its present boot`, RUNS)
  }
  const age = ageText(found.heartbeat, wall)
  if (age !== undefined) return unknown(`its condition ${REBOOT_CONDITION} ${age}`, RUNS)
  if (found.status === 'Unknown') return unknown(`its condition ${REBOOT_CONDITION} is Unknown: ${said}`)
  return { kind: found.status === 'True' ? 'needed' : 'none', text: `${REBOOT_CONDITION} is ${found.status}: ${said}` }
}

const unknown = (text: string, fix?: string): NeedWay => ({
  kind: 'unknown',
  text,
  ...(fix === undefined ? {} : { fix }),
})

/** What is wrong with the time at which it was written; undefined: nothing. */
function ageText(heartbeat: string, wall: WallMs | undefined): string | undefined {
  const at = Date.parse(heartbeat)
  if (wall === undefined || Number.isNaN(at)) return 'does not show when it was written'
  if (wall - at > STALE_MS) return `was written ${escapeForeign(heartbeat, 40)}, and it should be written each hour`
  if (at - wall > STALE_MS) return `was written in the future, ${escapeForeign(heartbeat, 40)}: a clock is wrong`
  return undefined
}
