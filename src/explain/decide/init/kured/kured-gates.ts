import { publicUrlFault } from '../../../../ground/model/hold-url.ts'
import type { Field, ListItem, Section } from '../roll-file-outline.ts'
import type { KuredReader } from './kured-reader.ts'

/** kured asks again and again for as long as its window is open. */
const LIMIT = '24h'

/** `spec.gates`: what blocks kured before a node. */
export function gatesField(kured: KuredReader): readonly Field[] {
  const items = [...alertGate(kured), ...podGates(kured)]
  return items.length === 0 ? [] : [{ key: 'gates', value: { items } }]
}

export const hasAlertGate = (kured: KuredReader): boolean => alertGate(kured).length > 0

function alertGate(kured: KuredReader): readonly ListItem[] {
  const url = kured.text('prometheus-url')
  if (url === undefined || publicUrlFault(url) !== undefined) return []
  const question = {
    fields: [
      { key: 'url', value: url },
      { key: 'query', value: alertQuery(kured) },
      { key: 'expect', value: '== 0' },
    ],
  }
  const comment =
    'Of kured: no alert is active. The alerts of Even Keel itself do not count: one of them would hold its own cure.'
  return [{ value: gate('alerts', { key: 'prometheus', value: question }), comment }]
}

/** kured's expression is searched for in the name; that of PromQL must match all of it. */
function alertQuery(kured: KuredReader): string {
  const filter = kured.text('alert-filter-regexp')
  const sign = kured.isOn('alert-filter-match-only') ? '=~' : '!~'
  const matchers = [
    'alertname!~"EvenKeel.*"',
    ...(filter === undefined ? [] : [`alertname${sign}${quoted(`.*(?:${filter}).*`)}`]),
    ...(kured.isOn('alert-firing-only') ? ['alertstate="firing"'] : []),
  ]
  return `count(ALERTS{${matchers.join(',')}}) or vector(0)`
}

/** A string of PromQL has the escapes of Go. */
const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`

const PHASES = 'status.phase!=Succeeded,status.phase!=Failed,status.phase!=Unknown'

/** `kubectl wait --for=delete` ends with 0 where no pod is found, and with another code where one is there. */
function podGates(kured: KuredReader): readonly ListItem[] {
  return kured.each('blocking-pod-selector').map((selector, at) => {
    const where = ['--field-selector', `spec.nodeName={node},${PHASES}`]
    const command = ['kubectl', 'wait', '--for=delete', 'pod', '-A', '-l', selector, ...where, '--timeout=0s']
    const name = at === 0 ? 'blocking-pods' : `blocking-pods-${at + 1}`
    const comment = 'Of kured: a node with such a pod is not begun. It needs kubectl where the roll runs.'
    return { value: gate(name, { key: 'command', value: command }), comment }
  })
}

const gate = (name: string, question: Field): Section => ({
  fields: [{ key: 'name', value: name }, { key: 'before', value: 'node' }, question, { key: 'limit', value: LIMIT }],
})
