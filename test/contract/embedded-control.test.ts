import { describe } from 'node:test'
import { controlContract } from './control-contract.ts'
import { embeddedPlane } from './doors/control-planes.ts'

describe('the controllers of the embedded cluster', () => controlContract(embeddedPlane))
