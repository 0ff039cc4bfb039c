import { after, describe } from 'node:test'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { apiContract } from './api-contract.ts'
import { portDoor } from './doors/port-door.ts'
import { smallWorld } from './doors/small-world.ts'

describe('the embedded cluster, asked directly', () => {
  const { world, close } = smallWorld()
  after(close)
  const door = portDoor(world, systemTimers)
  apiContract(() => door)
})
