import type { Figure } from '../report/figure.ts'
import type { PollDocument } from './poll-document.ts'

export function pollFigures({ servers, whole, looks }: PollDocument): readonly Figure[] {
  const figure = (name: string, value: number, before: number): Figure => ({
    part: 'poll',
    name: `${name} for a second of polls, ${servers} servers`,
    value,
    unit: 'ms',
    beside: { name: 'everything each time', value: before },
  })
  return [
    figure("HAProxy's processor time", looks.haproxyMs, whole.haproxyMs),
    figure('our processor time', looks.oursMs, whole.oursMs),
  ]
}
