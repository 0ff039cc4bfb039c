import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import { zonedTimeText } from '../../../ground/model/zoned-time.ts'
import { type Check, type DoctorSnapshot, failedCheck } from './doctor-snapshot.ts'

/** Requests of the operator in the roll file: a line for each. */
export const requestChecks = (snapshot: DoctorSnapshot): readonly Check[] => [
  ...windowCheck(snapshot),
  ...gateChecks(snapshot),
  ...programChecks(snapshot),
  ...silenceChecks(snapshot),
  ...receiverChecks(snapshot),
]

function windowCheck({ window }: DoctorSnapshot): readonly Check[] {
  if (window === undefined) return []
  const name = 'time window'
  const { zone, now, next } = window
  if (next === undefined) {
    const fix = 'correct "window": "not" may take away every time of "open"'
    return [failedCheck(name, { text: 'no time window ever opens', fix })]
  }
  const isOpen = next.from <= now
  const text = isOpen
    ? `open, until ${zonedTimeText(next.to, zone)}`
    : `closed; the next one opens ${zonedTimeText(next.from, zone)}`
  return [{ name, state: isOpen ? 'ok' : 'warning', text }]
}

const ASK_FIX = 'let it answer there, or correct "gates"'

/** A gate need not pass now; one that cannot be asked would hold the roll. */
function gateChecks({ gates = [] }: DoctorSnapshot): readonly Check[] {
  return gates.map(({ name: gate, node, answer }): Check => {
    const name = `gate ${gate}`
    if (answer === undefined) return { name, state: 'skipped', text: 'no node is known to ask about' }
    if (answer.is === 'failed') return failedCheck(name, { fix: ASK_FIX, ...answer })
    const { kind, text } = answer.value
    if (kind === 'unknown') return failedCheck(name, { text: `checked for ${node}: ${text}`, fix: ASK_FIX })
    const state = kind === 'passes' ? 'ok' : 'warning'
    return { name, state, text: `${kind === 'passes' ? 'passes' : 'does not pass now'} for ${node}: ${text}` }
  })
}

function programChecks({ programs = [] }: DoctorSnapshot): readonly Check[] {
  return programs.map(({ name: hook, missing }): Check => {
    const name = `hook ${hook}`
    if (missing === undefined) return { name, state: 'ok', text: 'its commands are on this machine' }
    const text = `there is no command ${escapeForeign(missing)} here`
    return failedCheck(name, { text, fix: 'install it, or write its whole path' })
  })
}

function silenceChecks({ silencers = [] }: DoctorSnapshot): readonly Check[] {
  return silencers.map(({ name: silence, answer }): Check => {
    const name = `silence ${silence}`
    if (answer.is === 'found') return { name, state: 'ok', text: answer.value }
    return failedCheck(name, { fix: 'let Alertmanager answer there, or correct "silences"', ...answer })
  })
}

function receiverChecks({ receivers = [] }: DoctorSnapshot): readonly Check[] {
  return receivers.map(({ name: receiver, answer }): Check => {
    const name = `notify ${receiver}`
    return answer.is === 'found'
      ? { name, state: 'ok', text: 'its secrets can be read; nothing was sent' }
      : failedCheck(name, answer)
  })
}
