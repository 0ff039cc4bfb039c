/**
 * What an agent answers to load balancers. `up`: send anything; `drain`: send nothing new, requests under way may end; `down`:
 * send nothing.
 */
export type Answer = 'up' | 'drain' | 'down'

export const isAnswer = (value: unknown): value is Answer => value === 'up' || value === 'drain' || value === 'down'
