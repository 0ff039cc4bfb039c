import { describe } from 'node:test'
import { requires } from '../support/requires.ts'
import { balancerContract } from './balancer-contract.ts'
import { openRealBalancer } from './doors/real-balancer-door.ts'

describe('HAProxy itself', requires('haproxy'), () => balancerContract(openRealBalancer))
