"""The processes of a service: started, watched, restarted, and none left behind."""
