/**
 * What an agent tells load balancers of its node. `up`: send what you like; `drain`: nothing new, what is under way may
 * end; `down`: nothing at all.
 */
export type Answer = 'up' | 'drain' | 'down'

export const isAnswer = (value: unknown): value is Answer => value === 'up' || value === 'drain' || value === 'down'
