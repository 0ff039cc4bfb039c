import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { readManifests, renderChart } from '../support/agent-chart.ts'
import { grantedBy } from '../support/granted-rights.ts'
import { requires } from '../support/requires.ts'

const PAGE = readFileSync(new URL('../../docs/rights.md', import.meta.url), 'utf8')
const ALL = [
  ...[
    'controller.enabled=true',
    'dns.enabled=true',
    'dns.relay=true',
    'dns.repair=true',
    'ingress.enabled=true',
    'guard.enabled=true',
    'rebooter.enabled=true',
    'rolls.enabled=true',
  ],
  ...['agent.grantsNamespace=grants', 'ingress.slotsNamespace=slots'],
]
const PLACES: Readonly<Record<string, string>> = {
  'the cluster': '*',
  'the release': 'evenkeel',
  'the grants': 'grants',
  'the slots': 'slots',
  '`kube-system`': 'kube-system',
  '`default`': 'default',
}

const namesIn = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** `leases.coordination.k8s.io`, `ingressdaemonsets.evenkeel.dev/status`: group and resource. */
function groupAndResource(text: string): string {
  const [whole = '', part] = text.split('/')
  const [resource = '', ...group] = whole.split('.')
  return `${group.join('.')} ${resource}${part === undefined ? '' : `/${part}`}`
}

/** As `grantedBy` has them. */
function rightsOf(row: string): readonly string[] {
  const [verbs = '', what = '', where = ''] = row.split('|').map((cell) => cell.trim())
  const [, resources = '', names = ''] = /^([^(]+)(?:\((.*)\))?$/.exec(what) ?? []
  assert.ok(PLACES[where] !== undefined, `${where} is no place: ${row}`)
  const named = names === '' ? ['*'] : namesIn(names)
  return verbs
    .split(', ')
    .flatMap((verb) =>
      namesIn(resources).flatMap((resource) =>
        named.map((name) => `${verb} ${groupAndResource(resource)} ${PLACES[where]} ${name}`),
      ),
    )
}

/** The rights of the pods of Rolls are made from those of a roll, which docs/roll.md has. */
const isOfRuns = ({ metadata }: { readonly metadata?: { readonly name: string } }): boolean =>
  /^evenkeel-agent-(roll|slots|heartbeats|corefile|node-events)/.test(metadata?.name ?? '')

describe('docs/rights.md', requires('helm'), () => {
  test('has a row for each right that the chart gives, and for no other', async () => {
    const { stdout, stderr } = await renderChart(...ALL)
    const granted = new Set(grantedBy(readManifests(stdout).filter((object) => !isOfRuns(object))))
    assert.ok(granted.size > 40, stderr)
    const rows = [...PAGE.matchAll(/^\| ((?!verbs|---).+) \|$/gm)].map(([, row = '']) => row)
    const shown = new Set(rows.flatMap(rightsOf))
    assert.deepEqual([...shown].toSorted(), [...granted].toSorted())
    assert.deepEqual(
      rows.filter((row) => (row.split('|')[3] ?? '').trim() === ''),
      [],
    )
  })
})
