import { type AgentEvidence, noEvidence } from '../../src/agent/decide/evidence.ts'
import type { AgentSnapshot, AgentSpec } from '../../src/agent/decide/snapshot.ts'
import type { KeptClaims } from '../../src/agent/model/kept-claims.ts'
import type { NodeReading } from '../../src/ground/model/node-reading.ts'
import { monoMs } from '../../src/ground/model/time.ts'

export const NOW = monoMs(1_000_000)

export const someFacts = (change: Partial<NodeReading> = {}): NodeReading => ({
  uid: 'uid-n1',
  resourceVersion: '100',
  unschedulable: false,
  deleting: false,
  lifecycle: [],
  removal: [],
  excluded: false,
  ...change,
})

export const RUN = '20260101T000000Z-0001'
export const REQUEST = `{"version":2,"claims":[{"owner":"roll/${RUN}","id":"r-1","at":"2026-01-01T00:00:00.000Z"}]}`
const DISK = '{"owner":"person/alice","id":"disk","why":"a new disk"}'
export const REQUEST_AND_DISK = REQUEST.replace('[', `[${DISK},`)
export const DISK_ALONE = `{"version":2,"claims":[${DISK}]}`
export const KEPT: KeptClaims = {
  version: 2,
  uid: 'uid-n1',
  resourceVersion: '90',
  claims: [{ owner: `roll/${RUN}`, id: 'r-1', uid: 'uid-n1' }],
}

interface World {
  readonly facts?: Partial<NodeReading>
  readonly spec?: Partial<AgentSpec>
  readonly evidence?: Partial<AgentEvidence>
  readonly change?: Partial<AgentSnapshot>
}

/** A node in service for long, heard of, without a brake and without a data port to ask. */
export function anAgent({ facts, spec, evidence, change }: World = {}): AgentSnapshot {
  return {
    now: NOW,
    spec: { cordonGraceMs: 0, upDelayMs: 5_000, hasDataPort: false, ...spec },
    heard: true,
    evidence: {
      ...noEvidence(monoMs(0)),
      node: someFacts(facts),
      brake: 'none',
      clearSince: monoMs(1_000),
      answer: 'up',
      ...evidence,
    },
    ...change,
  }
}
