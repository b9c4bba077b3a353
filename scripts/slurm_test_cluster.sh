#!/usr/bin/env bash
# A Slurm of its own on this host, to try job scripts: it lives in one directory and needs neither systemd nor the
# system's own Slurm.
#
#     scripts/slurm_test_cluster.sh start DIR [CPUS]    then: . DIR/environment; sbatch ...
#     scripts/slurm_test_cluster.sh stop DIR
set -euo pipefail

usage() {
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
[ $# -ge 2 ] || usage
command=$1
mkdir -p "$2"
home=$(realpath "$2")
cpus=${3:-4}
PATH=$PATH:/usr/sbin:/sbin
host=$(hostname -s)
user=$(id -un)

# Jobs first, for they would outlive their Slurm; then the daemons that were started below, in the opposite order. All
# get some seconds to end by themselves.
stop_daemons() {
  local daemon process
  if [ -s "$home/slurmctld.pid" ]; then
    export SLURM_CONF=$home/slurm.conf
    scancel --user="$user" 2>/dev/null || true
    for _ in $(seq 200); do
      [ -n "$(squeue -h 2>/dev/null)" ] || break
      sleep 0.1
    done
  fi
  for daemon in slurmd slurmctld munged; do
    [ -s "$home/$daemon.pid" ] || continue
    process=$(cat "$home/$daemon.pid")
    kill "$process" 2>/dev/null || true
    for _ in $(seq 100); do
      kill -0 "$process" 2>/dev/null || break
      sleep 0.1
    done
    rm -f "$home/$daemon.pid"
  done
}

# Two ports in a row that nobody listens on.
free_ports() {
  python3 - <<'PYTHON'
import socket
for port in range(26800, 28000, 2):
    try:
        for offset in (0, 1):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port + offset))
        print(port)
        break
    except OSError:
        continue
PYTHON
}

# Slurm lets a job that is queued again wait for as long as a credential is good: here for 10 s, usually for 2 minutes.
write_configuration() {
  local port
  port=$(free_ports)
  cat >"$home/slurm.conf" <<CONFIGURATION
ClusterName=scree
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$home/munge.socket,cred_expire=10
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$home/state
SlurmdSpoolDir=$home/spool
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/slurmd.pid
SlurmctldLogFile=$home/slurmctld.log
SlurmdLogFile=$home/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=2
MpiDefault=pmix
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=10
MinJobAge=3600
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONFIGURATION
  echo "CgroupPlugin=cgroup/v1" >"$home/cgroup.conf" # not used, but keeps Slurm from asking the system's message bus
  echo "export SLURM_CONF=$home/slurm.conf" >"$home/environment"
}

start_daemons() {
  (umask 077 && head -c 1024 /dev/urandom >"$home/munge.key")
  munged --force --key-file="$home/munge.key" --socket="$home/munge.socket" --pid-file="$home/munged.pid" \
    --log-file="$home/munged.log" --seed-file="$home/munge.seed" --num-threads=2
  export SLURM_CONF=$home/slurm.conf
  slurmctld -c
  slurmd
  for _ in $(seq 200); do
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 1 ] && return
    sleep 0.1
  done
  echo "the node did not become idle within 20 s:" >&2
  tail -n 5 "$home"/*.log >&2
  return 1
}

case $command in
start)
  stop_daemons
  mkdir -p "$home/state" "$home/spool"
  chmod 755 "$home"
  write_configuration
  start_daemons || {
    stop_daemons
    exit 1
  }
  ;;
stop) stop_daemons ;;
*) usage ;;
esac
