/** What each colour is for. All readers can distinguish the five fills; each has a second sign as well. */
export interface Palette {
  readonly paper: string
  readonly text: string
  readonly quiet: string
  /** Text on any of the five fills. */
  readonly onFill: string
  readonly leave: string
  readonly drain: string
  readonly away: string
  readonly return: string
  readonly fail: string
  /** For the word of the verdict only: the roll is done; it waits, or a person ended it. */
  readonly done: string
  readonly hold: string
  readonly outline: string
  /** Hairlines without a meaning. */
  readonly hair: string
  /** Background of cards and of the panel. */
  readonly ground: string
}

export const LIGHT: Palette = {
  paper: '#FFFFFF',
  text: '#1A1D21',
  quiet: '#59616B',
  onFill: '#FFFFFF',
  leave: '#1C3FC8',
  drain: '#846700',
  away: '#2A2A2E',
  return: '#06837B',
  fail: '#D11D6A',
  done: '#1A7F37',
  hold: '#8A5A00',
  outline: '#7D858F',
  hair: '#E1E4E8',
  ground: '#F6F7F9',
}

export const DARK: Palette = {
  paper: '#14171A',
  text: '#E8EAED',
  quiet: '#A7AFB9',
  onFill: '#0B0D0F',
  leave: '#7A93FF',
  drain: '#B09A13',
  away: '#D5D9E0',
  return: '#78F8A3',
  fail: '#EB4D87',
  done: '#3FB950',
  hold: '#D29922',
  outline: '#767F8A',
  hair: '#2C3137',
  ground: '#1B1F23',
}

export const FILLS = ['leave', 'drain', 'away', 'return', 'fail'] as const
