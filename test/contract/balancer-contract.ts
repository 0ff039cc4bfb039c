import { describe } from 'node:test'
import { agentsContract } from './balancer/agents.ts'
import type { OpenBalancerDoor } from './balancer/balancer-door.ts'
import { handsContract } from './balancer/by-hand.ts'
import { checksContract } from './balancer/checks.ts'
import { cookiesContract } from './balancer/cookies.ts'
import { looksContract } from './balancer/looks.ts'
import { queuesContract } from './balancer/queues.ts'
import { reloadsContract } from './balancer/reloads.ts'
import { retriesContract } from './balancer/retries.ts'
import { sparesContract } from './balancer/spares.ts'
import { trackingContract } from './balancer/tracking.ts'
import { trafficContract } from './balancer/traffic.ts'
import { weightsContract } from './balancer/weights.ts'
import { wordsContract } from './balancer/words.ts'

/** What HAProxy does as far as the adapter and a roll rely on it. */
export function balancerContract(open: OpenBalancerDoor): void {
  describe('words', () => wordsContract(open))
  describe('checks', () => checksContract(open))
  describe('traffic', () => trafficContract(open))
  describe('retries', () => retriesContract(open))
  describe('looks', () => looksContract(open))
  describe('reloads', () => reloadsContract(open))
  describe('cookies', () => cookiesContract(open))
  describe('agents', () => agentsContract(open))
  describe('queues', () => queuesContract(open))
  describe('spares', () => sparesContract(open))
  describe('weights', () => weightsContract(open))
  describe('by hand', () => handsContract(open))
  describe('tracking', () => trackingContract(open))
}
