"""Rules as a module: the CERA plan that runs, and the model theory that defines their meaning."""
