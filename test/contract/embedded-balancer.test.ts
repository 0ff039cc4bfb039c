import { describe } from 'node:test'
import { balancerContract } from './balancer-contract.ts'
import { openEmbeddedBalancer } from './doors/embedded-balancer-door.ts'

describe('the embedded balancer', () => balancerContract(openEmbeddedBalancer))
