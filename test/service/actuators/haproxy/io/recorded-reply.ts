/** Columns of `show servers state` as 2.6 has them. */
const STATE_COLUMNS =
  'be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_iweight ' +
  'srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state srv_agent_state ' +
  'bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port srv_check_addr ' +
  'srv_agent_addr srv_agent_port'

/** The columns of `show stat` that are read, and some that are not. */
const STAT_COLUMNS =
  'pxname,svname,qcur,qmax,scur,stot,wredis,status,weight,bck,tracked,type,check_status,check_code,agent_status,' +
  'check_rise,check_fall,check_health,last_chk,addr,cookie,mode,iid,sid,'

const INFO = ['Name: HAProxy', 'Version: 2.6.12', 'Nbproc: 1', 'Pid: 4711', 'Start_time_sec: 1795249160', 'Stopping: 0']

interface ReplyParts {
  readonly info: readonly string[]
  readonly states: readonly string[]
  readonly stats: readonly string[]
}

/** What 2.6.12 said of a backend with two servers: `a` in service, `b` in drain with two sessions. */
export const RECORDED: ReplyParts = {
  info: INFO,
  states: [
    '1',
    `# ${STATE_COLUMNS}`,
    '3 web 1 a 10.0.0.1 2 0 1 1 9 15 3 4 6 0 0 0 - 80 - 0 0 - - 0',
    '3 web 2 b 10.0.0.2 2 8 5 5 9 6 3 4 6 0 0 0 - 80 - 0 0 - - 0',
  ],
  stats: [
    `# ${STAT_COLUMNS}`,
    'web,a,0,0,1,17,0,UP,1,0,,2,L7OK,200,,2,3,4,"said ""hello"", and more",10.0.0.1:80,,http,3,1,',
    'web,b,0,0,2,9,0,DRAIN,5,0,,2,* L4OK,,,2,3,4,,10.0.0.2:80,,http,3,2,',
  ],
}

export const replyText = (parts: ReplyParts): string =>
  [parts.info, parts.states, parts.stats].map((lines) => `${lines.join('\n')}\n\n`).join('')

/** The recorded reply with one piece of text replaced by another. */
export function replyWith(old: string, other: string): string {
  const text = replyText(RECORDED)
  if (!text.includes(old)) throw new Error(`the recorded reply has no ${old}`)
  return text.replace(old, other)
}
